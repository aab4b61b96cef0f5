"""A confidence follows what a model's tools turned out to be; another model starts cautious."""

import itertools

import pytest

from hammerstone.synthesis.examine.belief.own_calibration import (
    CAUTIOUS_PRIOR,
    EMBEDDED_MODEL_NAME,
    MOST,
    PERSON_LIMIT,
    OutcomeKind,
    OutcomeSign,
    ToolOutcome,
    fitted_model,
    own_calibration,
    weighed,
)

OTHER = "somebody-elses-model"
GRID = [0.001, 0.05, 0.3, 0.5, 0.76, 0.9, 0.97, 0.995, 1.0]
_NUMBERS = itertools.count()


def outcome(
    confidence: float,
    *kinds: OutcomeKind,
    model: str = OTHER,
    person: str = "",
    owner: str = "",
) -> ToolOutcome:
    signs = tuple(OutcomeSign(kind, person) for kind in kinds)
    return ToolOutcome(f"v{next(_NUMBERS)}", "tool", model, confidence, signs, owner)


def many(count: int, confidence: float, *kinds: OutcomeKind, **more: str) -> list[ToolOutcome]:
    return [outcome(confidence, *kinds, **more) for _ in range(count)]


def adjusted(probability: float, model: str, outcomes: list[ToolOutcome]) -> float:
    return own_calibration(model, outcomes).adjusted(probability)


def test_the_model_that_was_fitted_starts_as_it_is_and_is_never_quite_sure() -> None:
    assert fitted_model() == EMBEDDED_MODEL_NAME
    for p in GRID[:-2]:
        assert adjusted(p, EMBEDDED_MODEL_NAME, []) == pytest.approx(p)
    assert adjusted(1.0, EMBEDDED_MODEL_NAME, []) == MOST
    assert not own_calibration(EMBEDDED_MODEL_NAME, []).cautious


def test_another_model_starts_cautious() -> None:
    start = own_calibration(OTHER, [])
    assert start.cautious and (start.shift, start.slope) == (-0.7, 0.8)
    assert (start.weight, start.judged) == (0.0, 0)
    assert adjusted(0.8, OTHER, []) == pytest.approx(0.601, abs=0.001)
    assert adjusted(0.98, OTHER, []) < 0.95, "nothing is verified by a number nobody has tested"
    assert all(adjusted(p, OTHER, []) < p for p in (0.3, 0.5, 0.8, 0.97))


def test_thirty_right_ones_raise_it_and_wrong_ones_lower_it() -> None:
    for model in (OTHER, EMBEDDED_MODEL_NAME):
        before = adjusted(0.8, model, [])
        right = adjusted(0.8, model, many(30, 0.8, OutcomeKind.CONFIRMED, model=model))
        wrong = adjusted(0.8, model, many(30, 0.8, OutcomeKind.STATED, model=model))
        assert right > before + 0.05
        assert wrong < before - 0.3
    raised = adjusted(0.8, OTHER, many(30, 0.8, OutcomeKind.CONFIRMED))
    assert raised > 0.8, "so many make up for the caution"


def test_with_many_outcomes_it_follows_them() -> None:
    """Of the tools at 0.9 seven of ten are right, of those at 0.6 four."""
    seen = [
        *many(700, 0.9, OutcomeKind.CONFIRMED),
        *many(210, 0.9, OutcomeKind.STATED),  # a stated value weighs 1, a confirmation 0.7
        *many(400, 0.6, OutcomeKind.CONFIRMED),
        *many(420, 0.6, OutcomeKind.STATED),
    ]
    assert adjusted(0.9, OTHER, seen) == pytest.approx(0.7, abs=0.03)
    assert adjusted(0.6, OTHER, seen) == pytest.approx(0.4, abs=0.03)


def test_a_surer_tool_is_never_less_sure_afterwards() -> None:
    upside_down = [
        *many(300, 0.95, OutcomeKind.STATED),
        *many(300, 0.3, OutcomeKind.CONFIRMED),
    ]
    calibration = own_calibration(OTHER, upside_down)
    assert calibration.slope == 0.0
    found = [calibration.adjusted(p) for p in GRID]
    assert found == sorted(found) and 0 < found[0] <= found[-1] <= MOST
    one_sided = own_calibration(OTHER, many(2000, 0.99, OutcomeKind.CONFIRMED))
    assert one_sided.adjusted(0.999) == MOST


def test_other_models_tools_and_tools_nobody_judged_say_nothing() -> None:
    start = own_calibration(OTHER, [])
    silent = own_calibration(OTHER, many(50, 0.8))
    elsewhere = own_calibration(OTHER, many(50, 0.8, OutcomeKind.STATED, model=EMBEDDED_MODEL_NAME))
    assert silent == start == elsewhere


def test_silence_and_a_bare_no_weigh_less_than_a_word_with_a_value() -> None:
    def after(kind: OutcomeKind) -> float:
        return adjusted(0.8, OTHER, many(10, 0.8, kind))

    start = adjusted(0.8, OTHER, [])
    assert start < after(OutcomeKind.USED) < after(OutcomeKind.AGREED)
    assert after(OutcomeKind.AGREED) < after(OutcomeKind.CONFIRMED)
    assert after(OutcomeKind.STATED) < after(OutcomeKind.REFUSED) < start


def test_who_calls_everything_wrong_moves_others_tools_only_so_far() -> None:
    """However often: in a library of several people it is worth three tools."""
    model = EMBEDDED_MODEL_NAME
    honest = many(20, 0.95, OutcomeKind.CONFIRMED, model=model, person="bea", owner="bea")
    before = adjusted(0.97, model, honest)

    def beside(count: int) -> float:
        spite = many(count, 0.95, OutcomeKind.STATED, model=model, person="ada", owner="bea")
        return adjusted(0.97, model, [*honest, *spite])

    assert beside(10_000) == pytest.approx(beside(10), abs=0.002)
    assert before - 0.06 < beside(10_000) < before
    alone = many(10_000, 0.95, OutcomeKind.STATED, model=model, person="ada", owner="ada")
    assert adjusted(0.97, model, alone) < 0.1, "who has the library alone is believed"


def test_one_persons_no_does_not_hide_what_others_know() -> None:
    contested = [
        ToolOutcome(
            f"c{number}",
            "tool",
            OTHER,
            0.8,
            (OutcomeSign(OutcomeKind.STATED, "ada"), OutcomeSign(OutcomeKind.AGREED)),
        )
        for number in range(60)
    ]
    others = many(1, 0.8, OutcomeKind.CONFIRMED, person="bea")
    known = weighed([*contested, *others])
    assert sum(each.against for each in known) == pytest.approx(PERSON_LIMIT)
    assert sum(each.right for each in known) == 61
    assert adjusted(0.8, OTHER, [*contested, *others]) > adjusted(0.8, OTHER, [])


def test_the_document_says_what_is_in_force() -> None:
    document = own_calibration(OTHER, many(3, 0.8, OutcomeKind.AGREED)).to_json()
    assert document["model"] == OTHER and document["fitted_for"] == EMBEDDED_MODEL_NAME
    assert document["cautious"] is True and document["judged"] == 3
    assert document["weight"] == pytest.approx(1.5)
    assert CAUTIOUS_PRIOR.shift < document["shift"]  # type: ignore[operator]
