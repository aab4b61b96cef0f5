"""Code that a person wrote or edited, proved with the means that generated code is proved with.

Scanned, then run in the sandbox: every case of the suite, calls again in fresh processes,
inputs made from the promise, and mutants to see whether the suite would notice a mistake. A
person's cases are truth, so there is no belief to weigh and no confidence to calibrate: one
case that fails refuses the code. What an edit does to results that were given before is measured
and shown, and vetoes nothing.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.calls import Call, Failure, Program
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Status, Version
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.guard.scan import scan
from hammerstone.judging.cases import is_another_error
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.mutants import mutants
from hammerstone.judging.named_inputs import promised_inputs
from hammerstone.judging.rendering import call_source, show
from hammerstone.judging.result_types import usual_type_mismatch
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.repair.reflection import call_of, limits_of
from hammerstone.library.policies import Policies, ProofPolicy
from hammerstone.library.tools.new_versions import VerificationResult
from hammerstone.library.tools.upkeep.trust import own_fault
from hammerstone.storage import Database, Execution
from hammerstone.storage.stores.learning.proposals import AuditRow
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.files.produced_files import FileSeeingSandbox

PROMISED = 12  # inputs made from the schema
REPEATED = 8  # calls made again, each in a process of its own
MUTANT_WALL_S = 0.3
MAX_PROBLEMS = 20

MOST = 30  # recorded calls that are made again
_WHO = "gate"


@dataclass(frozen=True, slots=True)
class _Heard:
    case: Case
    column: int


class SandboxVerifier:
    """The library's `Verifier`. The sandbox is opened on first use."""

    def __init__(self, sandbox: Callable[[], Awaitable[Sandbox]], policies: Policies) -> None:
        self._sandbox = sandbox
        self._policies = policies

    async def verify(self, spec: Spec, code: str, suite: tuple[Case, ...]) -> VerificationResult:
        refused = _forbidden(spec, code)
        if refused:
            return VerificationResult(None, tuple(refused))
        if not suite:
            return VerificationResult(None, ("there is no case to prove it with",))
        sandbox = await self._sandbox()
        if spec.produces:
            sandbox = FileSeeingSandbox(sandbox)  # the files are part of each call's value
        return await _Trial(sandbox, spec, code, self._policies).run(suite)


def _forbidden(spec: Spec, code: str) -> list[str]:
    seen = scan(code, spec.effect, makes_files=bool(spec.produces))
    found = [str(finding) for finding in seen if finding.blocks]
    if spec.effect is Effect.PURE and depends_on_the_moment(code):
        found.append("it uses the clock or random numbers, so its effect is reads, not pure")
    return found


class _Trial:
    """One program before its cases."""

    def __init__(self, sandbox: Sandbox, spec: Spec, code: str, policies: Policies) -> None:
        self.sandbox = sandbox
        self.spec = spec
        self.code = code
        self.policy = policies.get(ProofPolicy)
        self.limits = limits_of(spec)
        self.matrix = OutcomeMatrix(spec.name, sandbox, limits=self.limits)

    async def run(self, suite: Sequence[Case]) -> VerificationResult:
        row = self.matrix.add_code(self.code)
        stub = self.matrix.add_code(f"def {self.spec.name}(*args, **kwargs):\n    return None\n")
        heard = [_Heard(case, self.matrix.add_call(case.call)) for case in suite]
        promised = [
            self.matrix.add_call(known.call(self.spec.name))
            for known in promised_inputs(self.spec.takes, PROMISED)
        ]
        await self.matrix.fill()
        problems = await self._failing(row, heard)
        problems += self._breaking(row, promised)
        problems += await self._unsteady(row, heard)
        kept, empty = await self._telling(stub, heard)
        if not kept:
            problems.append("a function that does nothing passes every test")
        if problems:
            return VerificationResult(None, tuple(problems[:MAX_PROBLEMS]), rejected=tuple(empty))
        score, count, unnoticed = await self._bite(kept)
        evidence: JsonObject = {
            "proved_by": "cases stated by a person",
            "cases": len(kept),
            "promised_inputs": len(promised),
            "mutants": count,
            "mutation_score": score,
            "unnoticed": [*unnoticed[:10]],
            "backend": self.sandbox.backend,
        }
        doubts = self._doubts(len(kept), score, unnoticed)
        return VerificationResult(
            Status.EXPERIMENTAL if doubts else Status.VERIFIED,
            doubts,
            tuple(replace(each.case, support=1.0) for each in kept),
            tuple(empty),
            evidence,
        )

    async def _failing(self, row: int, heard: Sequence[_Heard]) -> list[str]:
        """Every case that the program does not pass, as a sentence."""
        found: list[str] = []
        for each in heard:
            accepted = await self.matrix.accepted(each.case, each.column)
            passes = int(self.matrix.labels[row, each.column]) in accepted
            if passes and not is_another_error(each.case, self.matrix.outcome(row, each.column)):
                continue
            outcome = self.matrix.outcome(row, each.column)
            call = call_source(each.case.call, self.spec.name) or self.spec.name
            got = show(outcome.value) if outcome.ok else f"{outcome.error_type or outcome.failure}"
            found.append(f"{call} {_wanted(each.case)}, but it gives {got}"[:400])
        return found

    def _breaking(self, row: int, promised: Sequence[int]) -> list[str]:
        """Valid inputs on which the program breaks down, and results of another type."""
        found: list[str] = []
        values: list[Json] = []
        for column in promised:
            outcome = self.matrix.outcome(row, column)
            if outcome.ok:
                values.append(outcome.value)
            elif own_fault(self.code, outcome.failure or Failure.LOST, outcome.error_line):
                call = self.matrix.calls[column].source
                found.append(f"{call} breaks down with {outcome.error_line}"[:400])
        labels = self.matrix.labels[row]
        values += [self.matrix.value(c, int(n)) for c, n in enumerate(labels) if n >= 0]
        if self.spec.produces:
            values = [each["returned"] for each in values if isinstance(each, dict)]
        broken = usual_type_mismatch(self.spec.returns, values)
        return [*found[:5], f"the result is not what it declares: {broken}"] if broken else found

    async def _unsteady(self, row: int, heard: Sequence[_Heard]) -> list[str]:
        program = Program(self.code, self.spec.name)
        columns = [each.column for each in heard if self.matrix.labels[row, each.column] >= 0]
        for column in columns[:: max(1, len(columns) // REPEATED)][:REPEATED]:
            call = self.matrix.calls[column]
            again = await self.sandbox.call(program, call, limits=self.limits)
            if again.failure is Failure.LOST:
                continue
            if self.matrix.label_again(column, again) != self.matrix.labels[row, column]:
                return [f"{call.source} gives different results in different runs"]
        return []

    async def _telling(self, stub: int, heard: Sequence[_Heard]) -> tuple[list[_Heard], list[Case]]:
        """Cases that an empty function does not pass, and those that it does."""
        kept: list[_Heard] = []
        empty: list[Case] = []
        for each in heard:
            accepted = await self.matrix.accepted(each.case, each.column)
            passes = int(self.matrix.labels[stub, each.column]) in accepted
            # That a result is nothing is worth saying where other cases tell the two apart.
            if passes and each.case.expected is not None:
                empty.append(replace(each.case, note="a function that does nothing passes it"))
            else:
                kept.append(each)
        telling = any(each.case.expected is not None or each.case.check for each in kept)
        return (kept, empty) if telling else ([], empty)

    async def _bite(self, kept: Sequence[_Heard]) -> tuple[float | None, int, list[str]]:
        """The share of mutants that the cases notice, how many there are, and the others."""
        made = mutants(self.code)
        trial = OutcomeMatrix(
            self.spec.name, self.sandbox, limits=self.limits, case_wall_s=MUTANT_WALL_S
        )
        trial.add_code(self.code)
        for mutant in made:
            trial.add_code(mutant.code)
        columns = [(each.case, trial.add_call(each.case.call)) for each in kept]
        await trial.fill()
        noticed = 0
        unnoticed: list[str] = []
        for place, mutant in enumerate(made, start=1):
            for case, column in columns:
                accepted = await trial.accepted(case, column)
                label = int(trial.labels[place, column])
                outcome = trial.outcome(place, column)
                if label not in accepted or is_another_error(case, outcome):
                    noticed += 1
                    break
            else:
                unnoticed.append(mutant.change)
        score = round(noticed / len(made), 4) if made else None
        return score, len(made), unnoticed

    def _doubts(self, cases: int, score: float | None, unnoticed: Sequence[str]) -> tuple[str, ...]:
        doubts: list[str] = []
        if cases < self.policy.cases:
            doubts.append(f"{cases} cases are few; {self.policy.cases} make it verified")
        if score is not None and score < self.policy.mutation_score:
            examples = "; ".join(unnoticed[:3])
            doubts.append(f"the cases notice {score:.0%} of small mistakes; not: {examples}")
        return tuple(doubts)


def _wanted(case: Case) -> str:
    if case.kind is CaseKind.RAISES:
        return f"must raise {case.expected or 'an error'}"
    if case.kind is CaseKind.PROPERTY:
        return f"must satisfy {case.check}"
    return f"must be {show(case.expected)}"


async def measure_edit(db: Database, sandbox: Sandbox, tool: str) -> str:
    """Run recorded calls with the version before a tool's last edit and with the new one; what
    speaks against the edit, in words, and empty when nothing does. The ledger keeps the pairs.

    No value is told: the calls may be other people's.
    """
    rows = await db.proposals.list(kind=ProposalKind.EDIT, target=tool, statuses=IN_FORCE, limit=1)
    how = (rows[0].reverse or {}) if rows else {}
    before, after = how.get("before"), how.get("after")
    if not isinstance(before, str) or not isinstance(after, str) or before == after:
        return ""
    old, new = await db.tools.get_version(before), await db.tools.get_version(after)
    calls = await _recorded(db, old)
    if not calls or Effect.WRITES in (old.spec.effect, new.spec.effect):
        return ""
    pairs = await _pairs(sandbox, old, new, calls)
    wrong = sum(pair.after < pair.before for pair in pairs)
    told = f"{wrong} of {len(pairs)} recorded results become different" if wrong else ""
    known = ProposalEvidence.from_json(rows[0].evidence)
    evidence: JsonObject = {
        **known.to_json(),
        "passes": [[pair.case, pair.before, pair.after] for pair in pairs],
        "against": [told] if told else [],
    }
    reason = told or f"{len(pairs)} recorded results stay the same"
    audit = AuditRow(rows[0].id, "measured", _WHO, reason, None, None, db.access.clock.now())
    await db.proposals.change(rows[0].id, audit, evidence=evidence)
    return told


async def _recorded(db: Database, version: Version) -> list[tuple[Call, Execution]]:
    """Earlier calls of a version that went well, each once."""
    found: dict[str, tuple[Call, Execution]] = {}
    for row in await db.executions.list(version.tool, limit=MOST * 3):
        if row.ok and row.version_id == version.id and isinstance(row.arguments, dict):
            found.setdefault(canonical(row.arguments), (call_of(row.arguments), row))
    return list(found.values())[:MOST]


async def _pairs(
    sandbox: Sandbox, old: Version, new: Version, calls: list[tuple[Call, Execution]]
) -> list[ScorePair]:
    programs = [Program(version.code, version.spec.name) for version in (old, new)]
    asked = [call for call, _ in calls]
    rows = await sandbox.matrix(programs, asked, limits=limits_of(new.spec))
    pairs: list[ScorePair] = []
    for number, (_, recorded) in enumerate(calls):
        scores = [
            float(row[number].ok and same(decoded(row[number].value), decoded(recorded.result)))
            for row in rows
        ]
        pairs.append(ScorePair(f"recorded call {number + 1}", *scores))
    return pairs
