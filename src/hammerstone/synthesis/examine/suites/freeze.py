"""The suite that goes with a tool: believed, strengthened until it bites, and small.

Cases that the winner fails are not weakened or dropped in silence: they come back as rejected,
each with the reason. A mutant of the winner that no case notices gets a case of its own where
some known or made-up input tells it apart. Then every case that adds nothing is left out; what
a person said always stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.tools import Case, CaseKind, CaseOrigin
from hammerstone.judging.mutants import Mutant, mutants
from hammerstone.judging.rendering import show
from hammerstone.synthesis.examine.belief.behaviours import Cells
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.examine.questions import shares

ENOUGH = 6  # cases a suite keeps even where fewer would kill the same mutants
MUTANT_WALL_S = 0.3  # a mutant that hangs is noticed, and many hang
MAX_CASE = 1000  # characters of a call: longer ones are not kept as cases


@dataclass(frozen=True, slots=True)
class FrozenSuite:
    suite: tuple[Case, ...]
    rejected: tuple[Case, ...]
    mutation_score: float | None  # None when the winner has no mutants
    mutants: int
    unnoticed: tuple[str, ...]  # changes that no known input tells apart: perhaps equivalent
    authored_score: float | None = None  # of the authors' and the person's cases alone


NOTHING = FrozenSuite((), (), None, 0, ())


@dataclass(frozen=True, slots=True)
class _Entry:
    case: Case
    column: int
    accepted: frozenset[int]


async def freeze(examination: Examination, code: str) -> FrozenSuite:
    """The frozen suite of the winner, and how many of its mutants the suite notices."""
    row = examination.matrix.add_code(code)
    await examination.matrix.fill()
    agreed, rejected = await _sorted_out(examination, row)
    made = mutants(code)
    trial = await _trial(examination, code, made)
    own = trial.labels[0]
    loaded = [n for n in range(1, len(trial.labels)) if (trial.labels[n] >= 0).any()]
    noticed = {n: {c for c in range(len(own)) if trial.labels[n, c] != own[c]} for n in loaded}
    results = examination.matrix.labels[row]
    entries = agreed + _strengthened(examination, agreed, noticed, results)
    kept = _minimised(examination, entries, noticed)
    return FrozenSuite(
        suite=tuple(entry.case for entry in kept),
        rejected=tuple(rejected),
        mutation_score=_killed(kept, noticed),
        mutants=len(loaded),
        unnoticed=tuple(made[n - 1].change for n, different in noticed.items() if not different),
        authored_score=_killed(agreed, noticed),
    )


def _killed(entries: Sequence[_Entry], noticed: dict[int, set[int]]) -> float | None:
    """The share of the mutants that the cases notice; None where there are no mutants."""
    columns = {entry.column for entry in entries}
    killed = sum(1 for different in noticed.values() if different & columns)
    return killed / len(noticed) if noticed else None


async def _sorted_out(examination: Examination, row: int) -> tuple[list[_Entry], list[Case]]:
    matrix = examination.matrix
    beliefs = shares(examination.belief, examination.confidence)
    ranking = examination.belief.ranking
    agreed: dict[int, _Entry] = {}
    rejected = [*examination.unread, *examination.withdrawn, *examination.rejected_as_stub()]
    stubs = {case.call.source for case in examination.rejected_as_stub()}
    for heard in (*examination.truth, *examination.cases):
        accepted = await matrix.accepted(heard.case, heard.column)
        if heard.case.origin_kind is not CaseOrigin.USER and heard.case.call.source in stubs:
            continue
        own = int(matrix.labels[row, heard.column])
        believed = sum(
            share
            for share, weighed in zip(beliefs, ranking, strict=True)
            if int(weighed.group.labels[heard.column]) in accepted
        )
        support = 1.0 if heard.case.origin_kind is CaseOrigin.USER else round(min(1.0, believed), 3)
        case = replace(heard.case, support=support)
        if own in accepted:
            if matrix.unordered and case.kind is CaseKind.VALUE:  # as this winner orders it
                case = replace(case, expected=matrix.outcome(row, heard.column).value)
            agreed.setdefault(heard.column, _Entry(case, heard.column, accepted))
        else:
            result = show(matrix.value(heard.column, own)) if own >= 0 else "no result"
            rejected.append(replace(case, note=f"the chosen program gives {result}"))
    return list(agreed.values()), rejected


async def _trial(examination: Examination, code: str, made: Sequence[Mutant]) -> OutcomeMatrix:
    """The winner and its mutants on every call that the examination knows."""
    trial = OutcomeMatrix(
        examination.function,
        examination.sandbox,
        case_wall_s=MUTANT_WALL_S,
        files=examination.matrix.files,
    )
    trial.add_code(code)
    for mutant in made:
        trial.add_code(mutant.code)
    for call in examination.matrix.calls:
        trial.add_call(call)
    await trial.fill()
    return trial


def _strengthened(
    examination: Examination,
    agreed: Sequence[_Entry],
    noticed: dict[int, set[int]],
    own: Cells,
) -> list[_Entry]:
    """Cases for mutants and rivals that the agreed cases do not notice, fewest first."""
    matrix = examination.matrix
    covered = {entry.column for entry in agreed}
    leader = examination.belief.ranking[0].group.labels if examination.belief.ranking else own
    open_ones = [different for different in noticed.values() if different - covered == different]
    for weighed in examination.belief.ranking[1:]:
        differs = {c for c in range(len(leader)) if weighed.group.labels[c] != leader[c]}
        open_ones.append(differs)
    added: list[_Entry] = []
    support = round(examination.confidence, 3)
    while True:
        open_ones = [d for d in open_ones if d and not d & covered]
        counts: dict[int, int] = {}
        for different in open_ones:
            for column in different:
                call = matrix.calls[column].source or ""
                if own[column] >= 0 and len(call) <= MAX_CASE:
                    counts[column] = counts.get(column, 0) + 1
        if not counts:
            return added
        column = max(counts, key=lambda c: (counts[c], -len(matrix.calls[c].source or "")))
        label = int(leader[column]) if leader[column] >= 0 else int(own[column])
        case = Case(
            CaseKind.VALUE,
            matrix.calls[column],
            matrix.value(column, label),
            origin=CaseOrigin.STRENGTHENING,
            support=support,
        )
        covered.add(column)
        added.append(_Entry(case, column, frozenset({label})))


def _minimised(
    examination: Examination, entries: Sequence[_Entry], noticed: dict[int, set[int]]
) -> list[_Entry]:
    """The fewest cases that notice the same mutants and rivals, and a handful to read."""
    leader = examination.belief.ranking[0].group.labels if examination.belief.ranking else None
    targets = [set(different) for different in noticed.values()]
    if leader is not None:
        for weighed in examination.belief.ranking[1:]:
            targets.append({c for c in range(len(leader)) if weighed.group.labels[c] != leader[c]})
    kept = [entry for entry in entries if entry.case.origin_kind is CaseOrigin.USER]
    others = sorted(
        (entry for entry in entries if entry.case.origin_kind is not CaseOrigin.USER),
        key=lambda e: (-(e.case.support or 0), len(e.case.call.source or "")),
    )
    covered = {entry.column for entry in kept}
    while True:
        left = [t for t in targets if not t & covered]
        gains = [(sum(entry.column in t for t in left), -n) for n, entry in enumerate(others)]
        best = max(gains, default=(0, 0))
        if best[0] == 0:
            break
        entry = others.pop(-best[1])
        kept.append(entry)
        covered.add(entry.column)
    while len(kept) < ENOUGH and others:
        kept.append(others.pop(0))
    return kept
