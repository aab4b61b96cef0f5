"""A week of use, and all that it changed taken back in random order.

    python -m evals.ledger_week [--set instant|quick|full] [--json]

People ask, retire, edit, merge and set policies; tools are built, repaired, composed, trusted and
retired by use; search learns. After every step what is in force is compared with what was: each
change must stand in the ledger. Then a copy of the library is taken back for each order, entry
by entry, and compared with the beginning: versions byte for byte. The model is a script.
"""

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.ledger_acts import acts, database, script
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.app import wiring
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.documents import case_to_json, spec_to_json
from hammerstone.core.hashing import canonical
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
    share,
)
from hammerstone.library.search.index.loaded_index import PAST, TOOL
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions

PEOPLE = ("ada", "ben", "local")
ASKED = (
    "Is {n} a prime number?",
    "Convert {n} to a Roman numeral",
    "What is {n}% of 80?",
    "What is the greatest common divisor of {n} and 18?",
    "Is {n} a leap year?",
)


@asynccontextmanager
async def engine(folder: Path) -> AsyncIterator[Hammerstone]:
    opened, wiring.open_embedder = wiring.open_embedder, lambda settings: HashedEmbedder()
    try:
        models = OneModel(ScriptedModel(script))
        settings = Settings(data_dir=folder, starter_tools=True)
        async with Hammerstone.open(settings, models=models) as hs:
            yield hs
    finally:
        wiring.open_embedder = opened


async def in_force(hs: Hammerstone) -> dict[str, str]:
    """All that is in force, each thing by its name, as text that can be compared."""
    return {**await owned(hs), **await searched(hs)}


async def owned(hs: Hammerstone) -> dict[str, str]:
    """Tools, policies and skills."""
    db, found = database(hs), dict[str, str]()
    for tool in await db.tools.list(include_retired=True):
        version = tool.version
        found[f"tool {tool.name}"] = canonical(
            {
                "version": version.id,
                "code": version.code,
                "spec": spec_to_json(version.spec),
                "suite": [case_to_json(case) for case in version.suite],
                "rejected": [case_to_json(case) for case in version.rejected],
                "provenance": dict(version.provenance),
                "status": str(tool.status),
                "confidence": tool.confidence,
            }
        )
    for policy in await db.policies.all_active():
        found[f"policy {policy.name}"] = canonical(policy.value)
    for tenant in ("", *PEOPLE):
        for head in await db.skills.heads(tenant):
            row = await db.skills.find(head.name, tenant)
            assert row is not None
            paths = await db.skills.files(head.name, tenant)
            content = [await db.skills.content(head.name, path, tenant) for path in paths]
            found[f"skill {head.name}"] = f"{row} {content}"
    return found


async def searched(hs: Hammerstone) -> dict[str, str]:
    """What search finds, what it has learned, and what is planned with."""
    db, found = database(hs), dict[str, str]()
    for key, text in (await db.index.texts(PAST)).items():
        found[f"lesson {key}"] = text
    for key, text in (await db.index.texts(TOOL)).items():
        found[f"findable {key}"] = text
    for workflow in await db.workflows.list(limit=10_000):
        found[f"workflow {workflow.id}"] = str(workflow.active)
    return found


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What is not as it was. A tool that was not there and is retired is as it was, and so are
    a policy without values and a workflow that is not planned with."""

    def nothing(name: str, text: str | None) -> bool:
        retired = name.startswith("tool ") and text is not None and '"status":"retired"' in text
        return text in (None, "{}", "False") or retired

    names = before.keys() | after.keys()
    return sorted(
        name
        for name in names
        if before.get(name) != after.get(name)
        and not (name not in before and nothing(name, after.get(name)))
    )


@dataclass
class Week:
    """What happened, counted."""

    requests: int = 0
    failed: int = 0
    changes: Counter[str] = field(default_factory=Counter[str])
    now: dict[str, str] = field(default_factory=dict[str, str])
    owned: dict[str, str] = field(default_factory=dict[str, str])
    revisions: tuple[int, ...] = ()

    async def look(self, hs: Hammerstone) -> None:
        """Count what is different since the last look; what search holds of a tool follows."""
        db = database(hs)
        stores = (db.tools, db.policies, db.skills)
        revisions = tuple([await store.revision() for store in stores])
        if revisions != self.revisions:
            self.revisions, self.owned = revisions, await owned(hs)
        seen = {**self.owned, **await searched(hs)}
        for name in seen.keys() | self.now.keys():
            if seen.get(name) != self.now.get(name) and _counts(name, seen):
                self.changes[name] += 1
        self.now = seen


def _counts(name: str, seen: dict[str, str]) -> bool:
    derived = name.startswith(("findable ", "workflow "))
    return not derived and not (name.startswith("policy ") and seen.get(name) == "{}")


async def live(folder: Path, requests: int) -> tuple[Week, dict[str, str], list[str]]:
    """A week: what was seen, what was in force before, and the changes without an entry."""
    week = Week()
    async with engine(folder / "data") as hs:
        before = week.now = await in_force(hs)
        waiting, every = acts(), max(1, requests // (len(acts()) + 1))
        for number in range(requests):
            text = ASKED[number % len(ASKED)].format(n=1900 + number)
            person = PEOPLE[number % 3]
            session = f"{person} {number // 24}"
            answer = await hs.ask(text, session=session, options=AskOptions(user=person))
            week.requests += 1
            week.failed += answer.status == "failed"
            await week.look(hs)
            if number % every == every - 1 and waiting:
                await waiting.pop(0)(hs, folder / "tools")
                await week.look(hs)
        while waiting:
            await waiting.pop(0)(hs, folder / "tools")
            await week.look(hs)
        await hs.learning.run()
        await week.look(hs)
        missing = await without_entry(hs, week)
    return week, before, missing


async def without_entry(hs: Hammerstone, week: Week) -> list[str]:
    """Changes that were seen and of which the ledger knows nothing, or fewer than were seen."""
    await hs.learning.ledger.entries.gather()
    rows = await database(hs).proposals.list(limit=100_000)
    entries = Counter[str]()
    for row in rows:
        if row.status not in IN_FORCE:
            continue
        if row.kind == ProposalKind.LESSON:
            reverse: Any = row.reverse
            entries.update(f"lesson {key}" for key in (*reverse["added"], *reverse["dropped"]))
        else:
            sort = row.kind if row.kind in ("policy", "skill") else "tool"
            entries[f"{sort} {row.target}"] += 1
    lessons = {name for name in week.now if name.startswith("lesson ")}
    return sorted(
        name
        for name, count in week.changes.items()
        # A request that came and went between two gatherings has left nothing behind.
        if entries[name] < (count if not name.startswith("lesson ") else int(name in lessons))
    )


async def take_back(folder: Path, seed: int, before: dict[str, str]) -> tuple[int, list[str]]:
    """Undo everything in the order of a seed; how much that was, and what is not as before."""
    async with engine(folder) as hs:
        await hs.learning.ledger.entries.gather()
        db, undone = database(hs), 0
        rows = await db.proposals.list(statuses=IN_FORCE, limit=100_000)
        order = [row.id for row in rows]
        random.Random(seed).shuffle(order)
        for id in order:
            if (await db.proposals.get(id)).status in IN_FORCE:
                undone += len(await hs.learning.gate.undo(id, who="week", cascade=True))
        return undone, differences(before, await in_force(hs))


async def kinds(folder: Path) -> dict[str, int]:
    async with engine(folder) as hs:
        rows = await database(hs).proposals.list(statuses=IN_FORCE, limit=100_000)
        return dict(sorted(Counter(row.kind for row in rows).items()))


@dataclass
class LedgerReport:
    requests: int
    failed: int
    changes: int
    entries: int
    kinds: dict[str, int]
    without_entry: list[str]
    orders: list[dict[str, Any]]

    @property
    def right(self) -> bool:
        return not self.without_entry and not any(one["differences"] for one in self.orders)


async def measure(requests: int, orders: int) -> LedgerReport:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        week, before, missing = await live(folder, requests)
        taken: list[dict[str, Any]] = []
        for seed in range(orders):
            copy = folder / f"order {seed}"
            shutil.copytree(folder / "data", copy)
            undone, left = await take_back(copy, seed, before)
            taken.append({"seed": seed, "undone": undone, "differences": left})
        counted = await kinds(folder / "data")
        changes, entries = sum(week.changes.values()), sum(counted.values())
        return LedgerReport(week.requests, week.failed, changes, entries, counted, missing, taken)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """A week of use, each order of taking it back as a case."""
    requests, orders = amount(context, instant=(44, 1), quick=(44, 2), full=(300, 5))
    report = await own_process(measure, requests=requests, orders=orders)
    missing = report["without_entry"]
    yield case("every change has an entry", not missing, given=", ".join(missing), wanted="none")
    for one in report["orders"]:
        left = one["differences"]
        numbers = {"undone": float(one["undone"])}
        yield case(f"order {one['seed']}", not left, numbers, given=", ".join(left), wanted="none")
    failed = share(report["failed"], report["requests"])
    yield lower("requests that failed in the week", failed, "share")
    yield lower("changes without an entry", len(missing), "count", target=0)
    left = sum(len(one["differences"]) for one in report["orders"])
    yield lower("differences after everything was taken back", left, "count", target=0)


if __name__ == "__main__":
    measured("ledger_week")
