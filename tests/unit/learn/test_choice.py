"""Which behaviour is believed, and how much."""

import pytest

from hammerstone.core.calls import Outcome
from hammerstone.learn.policies import GatePolicy, RepairPolicy
from hammerstone.learn.repair.choice import (
    EDIT,
    FEATURES,
    FIX,
    REWRITE,
    Candidate,
    Choice,
    FixEvidence,
    ProbedBehaviour,
    choose,
    group,
    shipped_fix_calibration,
    supports,
)

MARK = RepairPolicy().promote
UNSECONDED = RepairPolicy().unseconded
HERE = (1, 2, 3, 4, 5)
THERE = (1, 2, 3, 9, 9)


def behaviour(labels: tuple[int, ...], *origins: str) -> ProbedBehaviour:
    return ProbedBehaviour(labels, [Candidate(f"code {o}", o, "changed") for o in origins])


def chosen(*behaviours: ProbedBehaviour, samples: int = 8, answered: bool = False) -> Choice:
    choice = choose(FixEvidence(behaviours, samples, 3, [answered] * 5), UNSECONDED)
    assert choice is not None
    return choice


def test_nothing_alive_is_no_choice():
    assert choose(FixEvidence([], 4, 3), UNSECONDED) is None


def test_what_most_samples_agree_on_is_believed():
    choice = chosen(behaviour(HERE, FIX, FIX, FIX, REWRITE, REWRITE), behaviour(THERE, FIX))
    assert choice.behaviour.labels == HERE
    assert choice.confidence >= MARK


def test_an_edit_that_no_model_agrees_with_is_refused():
    assert chosen(behaviour(HERE, EDIT)).confidence < MARK
    assert chosen(behaviour(HERE, EDIT), samples=0).confidence < MARK


def test_an_edit_with_the_same_behaviour_speaks_for_a_models_fix():
    alone = chosen(behaviour(HERE, FIX, REWRITE))
    backed = chosen(behaviour(HERE, FIX, REWRITE, EDIT))
    assert backed.confidence > alone.confidence


def test_of_equal_ones_that_is_chosen_which_an_edit_has_too():
    rivals = behaviour(THERE, FIX, REWRITE), behaviour(HERE, FIX, REWRITE, EDIT)
    assert chosen(*rivals).behaviour.labels == HERE


def test_a_rival_that_meets_every_case_too_is_a_reason_for_doubt():
    votes = (FIX, FIX, REWRITE, REWRITE)
    alone = chosen(behaviour(HERE, *votes))
    doubtful = chosen(behaviour(HERE, *votes), behaviour(THERE, FIX, FIX, REWRITE))
    assert doubtful.confidence < MARK <= alone.confidence


def test_a_sample_that_nobody_agrees_with_is_refused_even_without_a_rival():
    assert chosen(behaviour(HERE, FIX)).confidence <= UNSECONDED < MARK
    assert chosen(behaviour(HERE, FIX), samples=1).confidence <= UNSECONDED
    assert chosen(behaviour(HERE, FIX, EDIT)).confidence > UNSECONDED


def test_where_the_faulty_program_answers_a_fix_that_does_not_is_refused():
    votes = (FIX, FIX, REWRITE, REWRITE)
    silent = (1, 2, 3, 4, -1)
    assert chosen(behaviour(silent, *votes), answered=False).confidence >= MARK
    assert chosen(behaviour(silent, *votes), answered=True).confidence < MARK


def test_of_those_that_agree_one_is_taken_that_answers_everything():
    silent, whole = behaviour((1, 2, 3, 4, -1), FIX, FIX, FIX), behaviour(HERE, REWRITE)
    assert chosen(silent, whole, answered=True).behaviour is whole
    assert chosen(silent, whole, answered=False).behaviour is silent


def test_of_programs_that_behave_alike_an_edit_is_kept_last():
    members = [
        Candidate("an edit", EDIT, ""),
        Candidate("long text, once", REWRITE, ""),
        Candidate("twice", FIX, ""),
        Candidate("twice", REWRITE, ""),
    ]
    assert ProbedBehaviour(HERE, members).best.code == "twice"
    assert ProbedBehaviour(HERE, members[:1]).best.code == "an edit"


def test_where_one_raises_it_says_nothing():
    here = behaviour(HERE, EDIT)
    assert supports(here, behaviour((1, 2, 3, -1, -1), FIX))
    assert not supports(here, behaviour(THERE, EDIT))
    assert not supports(here, behaviour((-1, -1, -1, -1, 5), FIX))


def test_candidates_are_grouped_by_their_results_and_a_constant_one_is_marked():
    members = [Candidate("a", EDIT, "changed"), Candidate("b", FIX, "written")]
    rows = [[Outcome(value=0)] * 3, [Outcome(value=0), Outcome(value=1), Outcome(value=0)]]
    same, varied = group(members, rows)
    assert same.constant and not varied.constant
    assert len(group(members, [rows[1], rows[1]])) == 1


def test_the_shipped_calibration_reads_what_a_choice_says_and_the_mark_meets_the_gates():
    calibration = shipped_fix_calibration()
    assert calibration.names == FEATURES
    weights = dict(zip(calibration.names, calibration.weights, strict=True))
    assert weights["share"] > 0 and weights["lead"] > 0 and weights["lost"] < 0
    assert GatePolicy().confidence <= MARK


@pytest.mark.parametrize("samples", [0, 8])
def test_every_feature_is_there_whatever_was_asked(samples: int):
    assert set(FEATURES) <= set(chosen(behaviour(HERE, EDIT), samples=samples).features)
