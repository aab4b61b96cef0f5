"""A fix for a complaint: many candidates, cross-examined, and the likeliest chosen."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from hammerstone.core.calls import Call, Program
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case
from hammerstone.judging.cases import meets
from hammerstone.judging.inputs import Known, constants_in, read_call, vary
from hammerstone.learn.repair.author import FixAuthor
from hammerstone.learn.repair.behaviours import (
    EDIT,
    FIX,
    REWRITE,
    Candidate,
    ProbedBehaviour,
    group,
)
from hammerstone.learn.repair.choice import Choice, choose
from hammerstone.learn.repair.complaint import Complaint, passed_cases, with_sources
from hammerstone.learn.repair.edits import edits
from hammerstone.learn.repair.repair_policy import FixSearchPolicy
from hammerstone.learn.repair.screen import CALL_S, screen
from hammerstone.tracing import span

UNHEARD = 0.85
_LONGEST_S = 0.5
_QUOTED = re.compile(r"'([^'\n]{1,20})'|\"([^\"\n]{1,20})\"")


@dataclass(slots=True)
class Search:
    """Everything that was tried for one complaint, and what is believed of it."""

    complaint: Complaint
    cases: list[Case]
    probes: list[Call]
    call_s: float = CALL_S
    passed: list[Case] = field(default_factory=list[Case])  # that the faulty program gets right
    alive: list[Candidate] = field(default_factory=list[Candidate])
    samples: int = 0
    tried: int = 0
    behaviours: list[ProbedBehaviour] = field(default_factory=list[ProbedBehaviour])
    choice: Choice | None = None

    @property
    def confidence(self) -> float:
        """How sure the choice is; without a model's agreement never enough to promote it.

        Measured on 104 tasks, edits that nobody else looked at were wrong one time in twelve. A
        behaviour that gives one and the same result for every input agrees too easily.
        """
        if self.choice is None:
            return 0.0
        alone = not self.choice.features["vote_share"]
        if alone or self.choice.behaviour.constant:
            return min(self.choice.confidence, UNHEARD)
        return self.choice.confidence


class FixFinder:
    """Edits first, which cost no model call; then a model's fixes; then code written anew."""

    def __init__(self, sandbox: Sandbox, author: FixAuthor | None, policy: FixSearchPolicy) -> None:
        self._sandbox = sandbox
        self._author = author
        self._policy = policy

    async def find(self, complaint: Complaint) -> Search:
        """The search when it is sure enough, or when nothing is left to try."""
        with span("find a fix", kind="step", input=complaint.told()) as traced:
            search = Search(complaint, with_sources(complaint.cases, complaint.function), [])
            search.probes = self._probes(search)
            await self._look_at_faulty(search)
            await self._edit(search)
            if self._author:
                # Even a sure edit is heard against a model's own fix: one that meets every case
                # too and does something else is reason enough for doubt.
                clear = search.choice and search.choice.confidence >= self._policy.enough
                few = self._policy.second_opinion if clear else self._policy.samples
                heard = await self._ask(search, FIX, few)
                if heard and search.confidence < self._policy.enough:
                    await self._ask(search, REWRITE, self._policy.samples)
            traced.set("tried", search.tried)
            traced.set("confidence", search.choice.confidence if search.choice else 0.0)
        return search

    async def _look_at_faulty(self, search: Search) -> None:
        """What the faulty program gets right, and ten times what it takes for that."""
        program = Program(search.complaint.code, search.complaint.function)
        calls = [case.call for case in search.cases]
        (row,) = await self._sandbox.matrix([program], calls, case_wall_s=1.0)
        taken = max((outcome.use.wall_s for outcome in row if outcome.ok), default=0.0)
        search.call_s = min(_LONGEST_S, max(CALL_S, 10 * taken))
        search.passed = passed_cases(search.cases, row)

    async def _edit(self, search: Search) -> None:
        complaint = search.complaint
        made = edits(
            complaint.code,
            complaint.function,
            texts=_texts(complaint),
            limit=self._policy.edits,
        )
        found = [Candidate(e.code, EDIT, e.change, e.cost) for e in made]
        await self._hear(search, found)

    async def _ask(self, search: Search, stage: str, samples: int) -> bool:
        """Samples of one point of view; False when there is no money for them."""
        assert self._author is not None
        fix = partial(self._author.fix, passed=search.passed)
        write = fix if stage == FIX else self._author.rewrite
        more = samples - 1
        try:
            best = await write(search.complaint, samples=1, temperature=0.0)
            others = await write(
                search.complaint, samples=more, temperature=self._policy.temperature
            )
        except BudgetExceeded:
            return False
        search.samples += 1 + more
        told = "written by a model" if stage == FIX else "written anew by a model"
        await self._hear(search, [Candidate(code, stage, told) for code in (*best, *others)])
        return True

    async def _hear(self, search: Search, candidates: Sequence[Candidate]) -> None:
        """Keep those that meet every case, and weigh all that are alive anew."""
        search.tried += len(candidates)
        left = list(candidates)
        # The failing call alone first: it ends most candidates.
        for cases in (search.cases[:1], search.cases[1:]):
            if not cases:
                continue
            calls = [case.call for case in cases]
            rows = await screen([c.code for c in left], calls, self._sandbox, call_s=search.call_s)
            left = [
                candidate
                for candidate, row in zip(left, rows, strict=True)
                if all(meets(case, outcome) for case, outcome in zip(cases, row, strict=True))
            ]
        search.alive += left
        kept = [c for c in search.alive if c.origin == EDIT][: self._policy.survivors]
        kept += [c for c in search.alive if c.origin != EDIT]
        if not kept:
            return
        call_s = 2 * search.call_s
        table = await screen([c.code for c in kept], search.probes, self._sandbox, call_s=call_s)
        search.behaviours, _ = group(kept, table)
        search.choice = choose(search.behaviours, search.samples, len(search.cases))

    def _probes(self, search: Search) -> list[Call]:
        """Inputs made up from every call that is known, to tell candidates apart."""
        function = search.complaint.function
        replays = [Case(search.complaint.failing.kind, r.call) for r in search.complaint.replays]
        everything = [*search.cases, *with_sources(replays, function)]
        read = [read_call(case.call.source or "", function) for case in everything]
        known: list[Known] = [one for one in read if one is not None]
        constants = constants_in([search.complaint.code])
        made = vary(known, self._policy.probes, constants=constants, seed=1)
        return [one.call(function) for one in made]


def _texts(complaint: Complaint) -> list[str]:
    """Short quoted strings in the docstring, which a wrong constant may have been."""
    try:
        tree = ast.parse(complaint.code)
    except (SyntaxError, ValueError):
        return []
    texts: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == complaint.function:
            for one, other in _QUOTED.findall(ast.get_docstring(node) or ""):
                texts[one or other] = None
    return list(texts)[:12]
