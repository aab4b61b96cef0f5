"""Programs with a bug, repaired: how many are fixed, how many wrongly accepted.

The repairer sees the program, its description, the failing calls with what is right, and nothing
that is hidden. Beside it stands one plain prompt to the same model that is told the same.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.kept_results import Progress
from hammerstone.evaluation.repair.bugs import Bug, KeptBug, held
from hammerstone.evaluation.repair.first_failure import asserted
from hammerstone.evaluation.repair.fix_sources import FixSource
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.repair.choice import believed
from hammerstone.learn.repair.fix import FixFinder
from hammerstone.learn.repair.regression_check import stands


@dataclass(frozen=True, slots=True)
class RepairScore:
    """What came of one bug. `right` is about the chosen fix, accepted or not."""

    id: str
    kind: str
    part: str
    plain_right: bool
    holds: bool  # the chosen fix stands the regression check
    right: bool
    regressions: int
    origin: str
    change: str
    tokens: int
    seconds: float
    samples: int
    tried: int
    features: dict[str, float] = field(default_factory=dict[str, float])  # of the chosen fix

    @property
    def confidence(self) -> float:
        return believed(self.features, RepairPolicy().unseconded) if self.features else 0.0

    def accepted(self, mark: float) -> bool:
        return self.holds and self.confidence >= mark

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(slots=True)
class RepairEvaluation:
    """Repairs every bug as the product does, and looks at what is hidden only afterwards."""

    source: FixSource
    sandbox: Sandbox
    policy: RepairPolicy
    show: Callable[[str], None]
    resume: Path | None = None

    async def run(self, bugs: Sequence[KeptBug]) -> list[RepairScore]:
        """Every bug in turn, going on where a broken-off run stopped."""
        progress = Progress(RepairScore, lambda one: one.id, self.resume)
        progress.load()
        done: list[RepairScore] = []
        for kept in bugs:
            one = progress.done.get(kept.bug.id)
            if one is None:
                one = await self.repair(kept)
                progress.add(one)
            done.append(one)
            verdict = "accepted" if one.accepted(self.policy.promote) else "refused"
            self.show(
                f"{one.id:24} {verdict:8} {one.confidence:4.0%} {_said(one.right)}"
                f" by {one.origin:8} plain {_said(one.plain_right)}"
                f" {one.seconds:5.1f} s {one.tokens:5} tokens"
            )
        return done

    async def repair(self, kept: KeptBug) -> RepairScore:
        """One bug repaired, and judged by what was hidden."""
        bug = kept.bug
        plain = await self.source.plain(bug)
        began = time.perf_counter()
        author = self.source.author(bug)
        search = await FixFinder(self.sandbox, author, self.policy).find(bug.complaint)
        choice = search.choice
        code = choice.candidate.code if choice else ""
        holds = False
        if code:
            holds = (await stands(bug.complaint, code, self.sandbox, self.policy)).holds
        seconds = time.perf_counter() - began
        return RepairScore(
            id=bug.id,
            kind=str(bug.kind),
            part=kept.part,
            plain_right=await bug.is_fixed_by(plain, self.sandbox),
            holds=holds,
            right=await bug.is_fixed_by(code, self.sandbox),
            regressions=await self._regressions(bug, code) if holds else 0,
            origin=choice.candidate.origin if choice else "-",
            change=choice.candidate.change if choice else "nothing meets every case",
            tokens=self.source.spent(),
            seconds=seconds,
            samples=search.samples,
            tried=search.tried,
            features=dict(choice.features) if choice else {},
        )

    async def _regressions(self, bug: Bug, code: str) -> int:
        """Hidden calls and asserts that the faulty program passes and the fix fails."""
        name, old = bug.complaint.function, bug.complaint.code
        before = await held(old, name, bug.checks, self.sandbox)
        after = await held(code, name, bug.checks, self.sandbox)
        lost = sum(ok and not still for ok, still in zip(before, after, strict=True))
        if bug.script:
            was = await asserted(old, name, bug.script, self.sandbox)
            now = await asserted(code, name, bug.script, self.sandbox)
            lost += sum(ok and not now.get(line, False) for line, ok in was.items())
        return lost


def _said(right: bool) -> str:
    return "right" if right else "wrong"
