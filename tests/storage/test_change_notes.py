"""Every change of tools, policies, skills and search is in the ledger, and can be taken back."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Assessment, Status
from hammerstone.learn.ledger.changes import GateParts, appliers
from hammerstone.learn.ledger.lesson_entries import LessonEntries
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import IN_FORCE, Proposal, ProposalKind
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.prompt_shelf import OwnPrompts
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.library.search.index.loaded_index import PAST
from hammerstone.library.skills import SkillPolicy, Skills
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.tools.registry import ActivationReason, Registry
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.prompts import load, shipped_text
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import ProposalRow
from tests.storage.registrar import new_version
from tests.storage.samples import execution

BUILT = ActivationReason("registered", "synthesis", "all candidates agree", {"confidence": 0.9})
EDITED = ActivationReason("edited", "ada", "from total/")
FIRST, SECOND = (f"def total(value):\n    return value + {n}" for n in (1, 2))


class Library:
    """Everything that changes, and the gate that takes it back."""

    def __init__(self, db: Database) -> None:
        clock = SystemClock()
        self.db = db
        self.policies = Policies(db, (GatePolicy, SkillPolicy))
        self.search = ToolSearch(db, HashedEmbedder(), self.policies)
        self.registry = Registry(db, self.search, clock)
        self.skills = Skills(db, None, self.policies, clock)
        parts = GateParts(self.skills, self.search)
        made = appliers(self.registry, self.policies, db, parts)
        self.gate = ChangeGate(db, self.policies, made, clock)
        self.lessons = LessonEntries(db, clock)

    async def entries(self, kind: str | None = None) -> list[ProposalRow]:
        """What is in force, oldest first."""
        rows = await self.db.proposals.list(kind=kind, statuses=IN_FORCE)
        return rows[::-1]

    async def skill(self, body: str) -> None:
        text = f"---\nname: report\ndescription: Writes it. Use when asked.\n---\n{body}\n"
        bundle = Bundle("report", {"SKILL.md": text.encode(), "a.bin": b"\xff\x00"}, "a folder")
        await self.skills.add(bundle, replace=True)

    async def state(self) -> dict[str, Any]:
        tools = await self.registry.list()
        row = await self.db.skills.find("report")
        return {
            "tools": {
                tool.name: (tool.version.id, tool.version.code, tool.status, tool.confidence)
                for tool in tools
            },
            "policies": [self.policies.get(kind) for kind in self.policies.kinds],
            "skill": row and (row, await self.db.skills.content("report", "a.bin")),
            "found": await self.db.index.texts(""),
            "prompt": OwnPrompts(self.policies).text("solve"),
        }


@pytest.fixture
def library(db: Database) -> Library:
    return Library(db)


async def test_a_new_tool_says_what_it_rests_on_and_what_it_cost(library: Library):
    built = replace(new_version("total", FIRST), provenance={"cost_tokens": 1234})
    await library.registry.register(built, BUILT)
    (entry,) = await library.entries()
    assert (entry.kind, entry.target) == ("build", "total")
    assert entry.title == "total: a new tool, verified"
    assert entry.evidence["grounds"] == {"confidence": 0.9, "mutation_score": 1.0}
    assert entry.value == {"cost_tokens": 1234}
    assert (entry.decision or {})["by"] == "synthesis"
    assert [audit.what for audit in await library.db.proposals.audits(entry.id)] == ["promoted"]

    await library.gate.undo(entry.id, who="ada")
    assert (await library.registry.get("total")).status is Status.RETIRED
    assert await library.entries() == []


async def test_the_same_again_is_no_change(library: Library):
    tool = await library.registry.register(new_version("total", FIRST), BUILT)
    await library.registry.register(new_version("total", FIRST), BUILT)
    same = Assessment(tool.version.id, tool.status, tool.confidence, {})
    await library.registry.assess("total", same)
    await library.policies.change("fit", {"high": 0.9}, who="ada", why="a try")
    await library.policies.change("fit", {"high": 0.9}, who="ada", why="a try")
    assert [entry.kind for entry in await library.entries()] == ["build", "policy"]


async def test_every_change_is_an_event_with_what_was_before_and_after(library: Library):
    first = await library.registry.register(new_version("total", FIRST), BUILT)
    second = await library.registry.register(new_version("total", SECOND), EDITED)
    await library.policies.change("fit", {"high": 0.9}, who="ada", why="a try")
    await library.policies.change("fit", {"high": 0.8}, who="ada", why="a try")
    await library.skill("One.")
    await library.skill("Two.")
    sides: dict[str, list[tuple[Any, Any]]] = {}
    for entry in await library.entries():
        for audit in await library.db.proposals.audits(entry.id):
            sides.setdefault(entry.kind, []).append((audit.before, audit.after))
    assert sides["build"] + sides["edit"] == [
        (None, first.version.id), (first.version.id, second.version.id),
    ]  # fmt: skip
    assert sides["policy"] == [(0, 1), (1, 2)]
    (nothing, one), (again, two) = sides["skill"]
    assert nothing == "" and one == again and one != two


async def test_a_retirement_by_hand_shows_what_speaks_against_it(library: Library):
    tool = await library.registry.register(new_version("total", FIRST), BUILT)
    await library.db.executions.add(execution("one", "total", version_id=tool.version.id))
    await library.registry.retire("total", who="ada", reason="not needed")
    entry = (await library.entries(ProposalKind.RETIREMENT))[0]
    assert entry.title == "total: retired, was verified"
    assert entry.evidence["against"] == ["1 of 1 uses went well"]
    await library.registry.unretire("total", who="ben")
    back = (await library.entries(ProposalKind.RETIREMENT))[-1]
    assert back.title == "total: verified, was retired"
    assert back.evidence["against"] == ["it was retired: not needed"]

    with pytest.raises(BadRequest, match="other changes build on"):
        await library.gate.undo(entry.id, who="ada")
    assert len(await library.gate.undo(entry.id, who="ada", cascade=True)) == 2
    assert (await library.registry.get("total")).status is Status.VERIFIED


async def test_what_a_person_retired_stays_so_when_it_is_built_again(library: Library):
    first = await library.registry.register(new_version("total", FIRST), BUILT, as_new_tool=True)
    await library.registry.retire("total", who="ada", reason="wrong for us")
    for code in (FIRST, SECOND):
        again = await library.registry.register(new_version("total", code), BUILT, as_new_tool=True)
        assert (again.name, again.status) == ("total", Status.RETIRED)
        assert again.version.id == first.version.id
    assert [one.name for one in await library.registry.list(include_retired=True)] == ["total"]
    assert await library.registry.taken(["total", "total_2"]) == {"total"}
    assert [tool.name for tool in await library.registry.list()] == []
    back = await library.registry.unretire("total", who="ada")
    assert back.status is Status.VERIFIED


async def test_what_use_retired_comes_back_with_new_evidence(library: Library):
    await library.registry.register(new_version("total", FIRST), BUILT, as_new_tool=True)
    await library.registry.retire("total", who="upkeep", reason="0 of 3 uses went well")
    again = await library.registry.register(new_version("total", SECOND), BUILT, as_new_tool=True)
    assert again.status is Status.VERIFIED


async def test_an_entry_from_before_states_were_kept_can_be_undone(library: Library):
    first = await library.registry.register(new_version("total", FIRST), BUILT)
    second = await library.registry.register(new_version("total", SECOND), EDITED)
    edit = (await library.entries(ProposalKind.EDIT))[0]
    old = {"tool": "total", "before": first.version.id, "after": second.version.id}
    await library.db.proposals.set_reverse(edit.id, old)
    assert await library.gate.undo(edit.id, who="ada") == [f"{edit.id}: total is back at version 1"]


async def test_policies_are_taken_back_one_by_one_whatever_the_numbers(library: Library):
    for high in (0.9, 0.95):
        await library.policies.change("fit", {"high": high}, who="ada", why="a try")
    first, second = await library.entries(ProposalKind.POLICY)
    assert first.title == "policy fit: high from the default to 0.9"
    assert second.title == "policy fit: high from 0.9 to 0.95"
    await library.gate.undo(second.id, who="ada")
    assert library.policies.stored("fit") == {"high": 0.9}
    assert "back at the default" in (await library.gate.undo(first.id, who="ada"))[0]
    assert library.policies.stored("fit") == {}


async def test_a_policy_that_the_gate_decided_has_one_entry(library: Library):
    proposal = Proposal(
        ProposalKind.POLICY, "fit", "higher", {"values": {"high": 0.9}},
        ProposalEvidence(rule="60 decisions say so"),
    )  # fmt: skip
    decided = await library.gate.propose(proposal)
    (entry,) = await library.entries()
    assert decided.in_force and entry.id == decided.id
    assert entry.decision is not None and entry.decision["finding"] == "by use"
    await library.gate.undo(decided.id, who="ada")
    assert library.policies.stored("fit") == {}


async def test_a_prompt_of_ones_own_is_used_and_taken_back(library: Library):
    prompts = OwnPrompts(library.policies)
    own = shipped_text("solve").replace("## system\n", "## system\nBe brief.\n", 1)
    against = await prompts.set("solve", own, who="ada", why="shorter")
    assert load("solve").sections[0].text.startswith("Be brief.")
    (entry,) = await library.entries(ProposalKind.PROMPT)
    assert entry.title == "prompt solve: a text of your own"
    assert entry.evidence["against"] == list(against)
    await library.gate.undo(entry.id, who="ada")
    assert prompts.text("solve") == shipped_text("solve")
    assert not load("solve").sections[0].text.startswith("Be brief.")
    for wrong in ("no prompt", own.replace("Version", "Edition")):
        with pytest.raises(BadRequest):
            await prompts.set("solve", wrong, who="ada", why="?")


async def test_search_lessons_are_one_entry_and_what_made_room_comes_back(library: Library):
    await library.registry.register(new_version("total", FIRST), BUILT)
    await library.policies.change("search", {"past_requests": 2}, who="ada", why="few")

    async def learned(*texts: str) -> None:
        for text in texts:
            await library.search.learn(text, "total", PastOutcome.ANSWERED, "ada")

    await learned("add one", "add two")
    assert await library.lessons.gather() == 1
    assert await library.lessons.gather() == 0
    await learned("add three")
    await library.search.learn("add four", "total", PastOutcome.WRONG, "ada")
    assert await library.lessons.gather() == 1
    first, second = await library.entries(ProposalKind.LESSON)
    assert first.title == "search learned which tool answers 2 requests: total (2)"
    assert "which tool is wrong for 1 request: total" in second.title
    assert (second.decision or {})["reason"].endswith("1 older one made room")
    assert "add" not in str(second.change) + second.title

    with pytest.raises(BadRequest, match="build on"):
        await library.gate.undo(first.id, who="ada")
    await library.gate.undo(second.id, who="ada")
    assert set((await library.db.index.texts(PAST)).values()) == {"add one", "add two"}
    assert library.search.words_only == ""
    assert await library.lessons.gather() == 0
    await library.gate.undo(first.id, who="ada")
    assert await library.db.index.texts(PAST) == {}


async def test_a_retired_tool_finds_its_lessons_again(library: Library):
    await library.registry.register(new_version("total", FIRST), BUILT)
    await library.search.learn("add one", "total", PastOutcome.ANSWERED, "ada")
    await library.registry.retire("total", who="ada", reason="not now")
    assert await library.search.find("add one", tenant="ada") == []
    await library.registry.unretire("total", who="ada")
    assert set((await library.db.index.texts(PAST)).values()) == {"add one"}


Step = Callable[[Library], Awaitable[object]]
STEPS: list[Step] = [
    lambda it: it.registry.register(new_version("total", SECOND), EDITED),
    lambda it: it.registry.retire("total", who="ada", reason="not now"),
    lambda it: it.registry.unretire("total", who="ada"),
    lambda it: it.registry.restore("total", 1, who="ben"),
    lambda it: it.registry.register(new_version("other", "def other(value):\n    return 0"), BUILT),
    lambda it: it.registry.deprecate("other", "total", who="ada", reason="the same"),
    lambda it: it.policies.change("fit", {"high": 0.9}, who="ada", why="a try"),
    lambda it: it.policies.change("fit", {"middle": 0.6}, who="ada", why="a try"),
    lambda it: it.skill("one"),
    lambda it: it.skill("two"),
    lambda it: it.skills.remove("report"),
    lambda it: it.search.learn("add one", "total", PastOutcome.ANSWERED, "ada"),
    lambda it: OwnPrompts(it.policies).set(
        "solve", shipped_text("solve").replace("## system\n", "## system\nHi.\n", 1),
        who="ada", why="?",
    ),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
async def test_undone_in_any_order_all_is_as_it_was(library: Library, seed: int):
    await library.registry.register(new_version("total", FIRST), BUILT)
    beginning, known = await library.state(), {one.id for one in await library.entries()}
    for step in STEPS:
        await step(library)
    await library.lessons.gather()
    order = [one.id for one in await library.entries() if one.id not in known]
    assert len(order) == len(STEPS)
    random.Random(seed).shuffle(order)
    for id in order:
        if (await library.db.proposals.get(id)).status in IN_FORCE:
            await library.gate.undo(id, who="ada", cascade=True)
    assert await library.state() == beginning
