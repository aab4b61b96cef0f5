"""What was seen of a winner that no agreement of candidates outweighs, in one table.

Everything else that speaks for or against a tool goes into its confidence. A veto caps it: the
number says how sure one may be at most where it was seen, and `seen` what justifies it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hammerstone.core.calls import Failure, Program
from hammerstone.judging.labels import Labels
from hammerstone.judging.result_types import usual_type_mismatch
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.verdict import ExaminePolicy

TRIED_ALONE = 3  # calls that did not end in the matrix
SPOKEN = 4  # inputs about which test authors have to say something
CONTRADICTED = 0.1  # of these: fewer that agree are a contradiction
_DEATHS = {
    Failure.TIMEOUT: "does not finish in time",
    Failure.MEMORY: "needs too much memory",
    Failure.CRASHED: "crashes",
}

Find = Callable[[Examination, str, ExaminePolicy], Awaitable[str]]
"""What was seen of the winning code, in words for a person; empty where there is nothing."""


@dataclass(frozen=True, slots=True)
class Veto:
    name: str
    at_most: float  # the confidence that is left
    seen: str  # what the number rests on
    find: Find


@dataclass(frozen=True, slots=True)
class VetoFound:
    """The lowest cap that was found, and its sentence."""

    name: str = ""
    at_most: float = 1.0
    doubt: str = ""


async def find_veto(examination: Examination, code: str, policy: ExaminePolicy) -> VetoFound:
    """The strictest veto on a winner, or one without a name that caps nothing."""
    found = VetoFound()
    for veto in VETOES:
        if veto.at_most >= found.at_most:
            continue
        doubt = await veto.find(examination, code, policy)
        if doubt:
            found = VetoFound(veto.name, veto.at_most, doubt)
    return found


async def _unsteady(examination: Examination, code: str, policy: ExaminePolicy) -> str:
    """Why the winner cannot be trusted to repeat itself.

    The second run has other surroundings: single calls in fresh processes, in reverse order, as
    the tool is called in production. Code that counts its calls, draws lots or watches for
    being tested answers differently.
    """
    matrix = examination.matrix
    row = matrix.add_code(code)
    columns = [c for c in range(len(matrix.calls)) if matrix.labels[row, c] >= 0]
    step = max(1, len(columns) // max(1, policy.repeated_calls))
    program = Program(code, examination.function)
    for column in reversed(columns[::step][: policy.repeated_calls]):
        again = await examination.sandbox.call(program, matrix.calls[column], files=matrix.files)
        if again.failure is Failure.LOST:
            continue
        if matrix.label_again(column, again) != matrix.labels[row, column]:
            return f"{matrix.calls[column].source} gives different results in different runs"
    return ""


async def _other_type(examination: Examination, code: str, _policy: ExaminePolicy) -> str:
    """Where the winner mostly returns something else than its spec declares."""
    if not examination.spec or not examination.spec.returns:
        return ""
    matrix = examination.matrix
    row = matrix.add_code(code)
    labels = [(c, int(matrix.labels[row, c])) for c in range(len(matrix.calls))]
    values = [matrix.value(column, label) for column, label in labels if label >= 0]
    reason = usual_type_mismatch(examination.spec.returns, values)
    return f"the result is not what the spec declares: {reason}" if reason else ""


async def _constant(examination: Examination, _code: str, _policy: ExaminePolicy) -> str:
    """Whether the leader returns one result for everything and no test author agrees with it.

    Code that always returns the example's result meets the example. Authors alone are no veto:
    for values that are hard to work out by head, all of them may be wrong.
    """
    belief, matrix = examination.belief, examination.matrix
    if belief.features["claimed"] < 2 or belief.features["agreed"] > 0:
        return ""
    labels = enumerate(belief.ranking[0].group.labels)
    results = [repr(matrix.value(column, int(label))) for column, label in labels if label >= 0]
    same = len(results) > 2 and len(set(results)) == 1
    return "it returns the same for every input, and no test author expects that" if same else ""


async def _contradicted(examination: Examination, _code: str, _policy: ExaminePolicy) -> str:
    """Whether hardly anything that the test authors expect is what the leader gives.

    Candidates of one model may share a mistake that none of them shows. That nobody tested it is
    no such sign: tools without a test are right as often as others.
    """
    features = examination.belief.features
    claimed = features["claimed"]
    against = claimed >= SPOKEN and features["agreed"] < CONTRADICTED * claimed
    return "the test authors expect something else nearly everywhere" if against else ""


async def _unfinished(examination: Examination, code: str, _policy: ExaminePolicy) -> str:
    """A call that a person or a test author wrote and the winner does not survive.

    Tried once more, alone with the time of a whole row: in the matrix a call may be given up
    because the calls before it used that up. What is right but dies in verification is at best
    experimental.
    """
    matrix = examination.matrix
    row = matrix.add_code(code)
    written = sorted({heard.column for heard in (*examination.truth, *examination.cases)})
    broken = [column for column in written if matrix.labels[row, column] == Labels.BROKEN]
    for column in broken[:TRIED_ALONE]:
        again = await examination.sandbox.call(
            Program(code, examination.function),
            matrix.calls[column],
            limits=matrix.limits,
            files=matrix.files,
        )
        death = _DEATHS.get(again.failure) if again.failure else None
        if death:
            return f"{matrix.calls[column].source} {death}"
    return ""


VETOES = (
    Veto("unsteady", 0.05, "no tool that contradicts itself is right", _unsteady),
    Veto("other type", 0.05, "a result of another type is not what was promised", _other_type),
    Veto("constant", 0.05, "both banks: 0 of 3 leaders seen so were right", _constant),
    Veto("unfinished", 0.5, "both banks: 2 of 4 leaders seen so were right", _unfinished),
    Veto(
        "contradicted", 0.89, "both banks: 40 of 45 leaders over the mark were right", _contradicted
    ),
)
