"""A fix for a complaint: many candidates, cross-examined, and the likeliest chosen."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import meets
from hammerstone.judging.inputs import LiteralArguments, constants_in, read_call, vary
from hammerstone.learn.policies import FixSearchPolicy
from hammerstone.learn.repair.author import FixWriter
from hammerstone.learn.repair.choice import (
    EDIT,
    FIX,
    REWRITE,
    Candidate,
    Choice,
    FixEvidence,
    ProbedBehaviour,
    choose,
    group,
)
from hammerstone.learn.repair.complaint import Complaint, passed_cases, with_sources
from hammerstone.learn.repair.edits.edits import edits
from hammerstone.learn.repair.screen import CALL_S, screen
from hammerstone.tracing import span

_LONGEST_S = 0.5
_MODEL_S = 0.1  # of processor time for a call of a program that a model wrote
_PROBE_S = 0.05
_PROGRAMS_READ = 6  # whose constants go into the made-up inputs
_QUOTED = re.compile(r"'([^'\n]{1,20})'|\"([^\"\n]{1,20})\"")


@dataclass(slots=True)
class Search:
    """Everything that was tried for one complaint, and what is believed of it."""

    complaint: Complaint
    cases: list[Case]
    probes: list[Call] = field(default_factory=list[Call])
    call_s: float = CALL_S
    passed: list[Case] = field(default_factory=list[Case])  # that the faulty program gets right
    alive: list[Candidate] = field(default_factory=list[Candidate])
    samples: int = 0  # asked of a model
    tried: int = 0
    behaviours: list[ProbedBehaviour] = field(default_factory=list[ProbedBehaviour])
    choice: Choice | None = None

    @property
    def confidence(self) -> float:
        """How likely the choice is right."""
        return self.choice.confidence if self.choice else 0.0


class FixFinder:
    """A model's fixes, code written anew, and edits: heard together, and the likeliest chosen."""

    def __init__(self, sandbox: Sandbox, author: FixWriter | None, policy: FixSearchPolicy) -> None:
        self._sandbox = sandbox
        self._author = author
        self._policy = policy

    async def find(self, complaint: Complaint) -> Search:
        """What was found. Without an author there are only edits, which are never sure enough."""
        with span("find a fix", kind="step", input=complaint.told()) as traced:
            search = Search(complaint, with_sources(complaint.cases, complaint.function))
            await self._look_at_faulty(search)
            if self._author and await self._ask(search, self._author, FIX, self._policy.samples):
                await self._ask(search, self._author, REWRITE, self._policy.rewrites)
            await self._edit(search)
            await self._compare(search)
            traced.set("tried", search.tried)
            traced.set("confidence", search.confidence)
        return search

    async def _look_at_faulty(self, search: Search) -> None:
        """What the faulty program gets right, and ten times what it takes for that."""
        program = Program(search.complaint.code, search.complaint.function)
        calls = [case.call for case in search.cases]
        (row,) = await self._sandbox.matrix([program], calls, case_wall_s=1.0)
        taken = max((outcome.use.wall_s for outcome in row if outcome.ok), default=0.0)
        search.call_s = min(_LONGEST_S, max(CALL_S, 10 * taken))
        search.passed = passed_cases(search.cases, row)

    async def _ask(self, search: Search, author: FixWriter, stage: str, samples: int) -> bool:
        """Samples of one point of view; False when there is no money for them."""
        write = partial(author.fix, passed=search.passed) if stage == FIX else author.rewrite
        written: list[str] = []
        enough = True
        for count, temperature in ((min(1, samples), 0.0), (samples - 1, self._policy.temperature)):
            if count < 1:
                continue
            try:
                written += await write(search.complaint, samples=count, temperature=temperature)
            except BudgetExceeded:
                enough = False
                break
            search.samples += count
        told = "written by a model" if stage == FIX else "written again by a model"
        made = [Candidate(code, stage, told) for code in written]
        search.alive += await self._passing(search, made, max(search.call_s, _MODEL_S))
        return enough

    async def _edit(self, search: Search) -> None:
        complaint = search.complaint
        made = edits(
            complaint.code,
            complaint.function,
            texts=_texts(complaint),
            limit=self._policy.edits,
        )
        found = [Candidate(e.code, EDIT, e.change) for e in made]
        passing = await self._passing(search, found, search.call_s)
        search.alive += passing[: self._policy.survivors]

    async def _passing(
        self, search: Search, candidates: Sequence[Candidate], call_s: float
    ) -> list[Candidate]:
        """Those that meet every case: the failing calls, and whatever is known to be right."""
        search.tried += len(candidates)
        left = list(candidates)
        # The failing call alone first: it ends most candidates.
        for cases in (search.cases[:1], search.cases[1:]):
            if not cases or not left:
                continue
            calls = [case.call for case in cases]
            rows = await self._tried(left, calls, call_s)
            left = [
                candidate
                for candidate, row in zip(left, rows, strict=True)
                if all(meets(case, outcome) for case, outcome in zip(cases, row, strict=True))
            ]
        return left

    async def _compare(self, search: Search) -> None:
        """Group what is alive by its behaviour on made-up inputs, and choose."""
        if not search.alive:
            return
        search.probes = self._probes(search)
        call_s = max(2 * search.call_s, _PROBE_S)
        faulty = Candidate(search.complaint.code, EDIT, "as it was")
        *table, old = await self._tried([*search.alive, faulty], search.probes, call_s)
        search.behaviours = group(search.alive, table)
        values = sum(case.kind is CaseKind.VALUE for case in search.cases)
        answered = [outcome.ok for outcome in old]
        evidence = FixEvidence(search.behaviours, search.samples, values, answered)
        search.choice = choose(evidence, self._policy.unseconded)

    async def _tried(
        self, candidates: Sequence[Candidate], calls: Sequence[Call], call_s: float
    ) -> list[list[Outcome]]:
        """What each candidate gives; the same text is run once."""
        codes = list(dict.fromkeys(candidate.code for candidate in candidates))
        rows = await screen(codes, calls, self._sandbox, call_s=call_s)
        by_code = dict(zip(codes, rows, strict=True))
        return [by_code[candidate.code] for candidate in candidates]

    def _probes(self, search: Search) -> list[Call]:
        """Inputs made up from every call that is known, to tell candidates apart."""
        function = search.complaint.function
        replays = [Case(search.complaint.failing.kind, r.call) for r in search.complaint.replays]
        everything = [*search.cases, *with_sources(replays, function)]
        read = [read_call(case.call.source or "", function) for case in everything]
        known: list[LiteralArguments] = [one for one in read if one is not None]
        # Two programs part at the limits that one of them knows.
        written = dict.fromkeys(c.code for c in search.alive if c.origin != EDIT)
        constants = constants_in([search.complaint.code, *list(written)[:_PROGRAMS_READ]])
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
