"""The numbers of a repair evaluation, for each kind of bug, and the calibration fitted on them."""

from collections.abc import Iterator, Sequence

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.repair.bugs import FITTED
from hammerstone.evaluation.repair.repair_scores import RepairScore
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.repair.choice import FEATURES, believed
from hammerstone.synthesis.examine.belief.confidence import Calibration, fit

FOLDS = 10
MOST_WRONG = 0.03  # share of the bugs that may be accepted wrongly
_FEWEST = 30


def kinds_of(scores: Sequence[RepairScore], mark: float) -> list[JsonObject]:
    """A row for each kind of bug; what the calibration was fitted on has a row of its own."""
    rows: list[JsonObject] = []
    for kind, part in dict.fromkeys((one.kind, one.part) for one in scores):
        some = [one for one in scores if (one.kind, one.part) == (kind, part)]
        name = f"{kind} (fitted on)" if part == FITTED else kind
        rows.append({"kind": name, **numbers_of(some, mark)})
    return sorted(rows, key=lambda row: str(row["kind"]))


def numbers_of(scores: Sequence[RepairScore], mark: float) -> JsonObject:
    """What came of some bugs when everything from the mark on is accepted."""
    count = len(scores) or 1
    accepted = [one for one in scores if one.accepted(mark)]
    fixed = sum(one.right for one in accepted)
    wrong = len(accepted) - fixed
    plain = sum(one.plain_right for one in scores)
    return {
        "n": len(scores),
        "plain": plain,
        "fixed": fixed,
        "ratio": fixed / plain if plain else None,
        "wrongly_accepted": wrong,
        "wrongly_accepted_share": wrong / count,
        "regressions": sum(one.regressions for one in accepted),
        "refused": len(scores) - len(accepted),
        "chosen_right": sum(one.right for one in scores),
        "mean_samples": sum(one.samples for one in scores) / count,
        "mean_tokens": sum(one.tokens for one in scores) / count,
        "mean_seconds": sum(one.seconds for one in scores) / count,
        "mean_candidates": sum(one.tried for one in scores) / count,
    }


def refitted(scores: Sequence[RepairScore]) -> tuple[Calibration, JsonObject]:
    """The calibration on the bugs to fit on, and what marks it allows, judged out of fold."""
    every = [one for one in scores if one.part == FITTED]
    usable = [one for one in every if one.features]
    if len(usable) < _FEWEST:
        raise BadRequest(f"{len(usable)} bugs to fit on are too few", hint=f"{_FEWEST} at least")
    judged = list(_out_of_fold(usable))
    marks: list[Json] = []
    lowest: float | None = None
    for percent in range(50, 100):
        mark = percent / 100
        taken = [one for sure, one in judged if sure >= mark and one.holds]
        wrong = sum(not one.right for one in taken)
        if wrong <= MOST_WRONG * len(every) and lowest is None:
            lowest = mark
        if percent % 5 == 0:
            marks.append({"mark": mark, "fixed": len(taken) - wrong, "wrongly_accepted": wrong})
    source = f"{len(usable)} of {len(every)} wrong programs that a model wrote"
    calibration = _fitted(usable, source)
    return calibration, {"n": len(every), "lowest_mark": lowest, "out_of_fold": marks}


def _out_of_fold(scores: Sequence[RepairScore]) -> Iterator[tuple[float, RepairScore]]:
    for fold in range(FOLDS):
        rest = [one for n, one in enumerate(scores) if n % FOLDS != fold]
        calibration = _fitted(rest, "")
        for one in scores[fold::FOLDS]:
            yield believed(one.features, RepairPolicy().unseconded, calibration), one


def _fitted(scores: Sequence[RepairScore], source: str) -> Calibration:
    observed = [one.features for one in scores]
    return fit(observed, [one.right for one in scores], names=FEATURES, source=source)
