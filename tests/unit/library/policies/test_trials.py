"""What running experiments put in force for a session: its variants, their numbers and texts."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from hammerstone.core.experiments import (
    Experiment,
    ExperimentOutcome,
    ExperimentPlan,
    TrialVariant,
)
from hammerstone.library.policies import Policies
from hammerstone.library.policies.trials import (
    NO_TRIAL,
    TRIAL,
    interrupt_experiments,
    knobs_of,
    split_knob,
    trial_of,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def experiment(id: str, **changes: Any) -> Experiment:
    """One with a single variant, so that every session is in it."""
    knobs = {name.replace("__", "."): value for name, value in changes.items()}
    return Experiment(id, id, (TrialVariant("new", knobs),), ExperimentPlan(), NOW, "ada")


def test_without_experiments_nothing_is_tried() -> None:
    assert trial_of([], "s") == NO_TRIAL
    assert NO_TRIAL.mark == "" and TRIAL.get() is NO_TRIAL
    with Policies(cast(Any, None)).trying("s") as given:
        assert given is NO_TRIAL and TRIAL.get() is NO_TRIAL


def test_numbers_go_by_policy_and_texts_by_prompt() -> None:
    one = experiment("e1", fit__high=0.9, fit__middle=0.4, search__rerank=False)
    two = Experiment(
        "e2", "", (TrialVariant("b", {"prompt/solve": "Do it."}),), ExperimentPlan(), NOW, "ada"
    )
    trial = trial_of([two, one], "s")
    assert trial.values == {"fit": {"high": 0.9, "middle": 0.4}, "search": {"rerank": False}}
    assert trial.prompts == {"solve": "Do it."}
    assert trial.variants == {"e1": "new", "e2": "b"}
    assert trial.mark == "e1=new,e2=b"


def test_a_session_is_in_the_variant_that_the_experiment_says() -> None:
    two = tuple(TrialVariant(name, {"fit.high": n / 10}) for n, name in enumerate(("a", "b", "c")))
    several = Experiment("e", "", two, ExperimentPlan(), NOW, "ada")
    for session in map(str, range(20)):
        chosen = several.variant_of(session)
        trial = trial_of([several], session)
        assert trial.variants == {"e": chosen.name}
        assert trial.values == {"fit": {"high": chosen.changes["fit.high"]}}


def test_a_trial_is_in_force_within_its_block_alone() -> None:
    one, two = (an_experimenter(experiment(id, fit__high=0.9)) for id in ("e1", "e2"))
    with one.trying("s") as given:
        assert TRIAL.get() is given and given.variants == {"e1": "new"}
        with two.trying("s") as other:
            assert TRIAL.get() is other and other.variants == {"e2": "new"}
        assert TRIAL.get() is given
        with pytest.raises(ValueError, match="no"), two.trying("s"):
            raise ValueError("no")
        assert TRIAL.get() is given
        with an_experimenter().trying("s"):
            assert TRIAL.get() is NO_TRIAL
    assert TRIAL.get() is NO_TRIAL


def an_experimenter(*running: Experiment) -> Policies:
    """Policies with these experiments under way."""
    policies = Policies(cast(Any, None))
    policies._experiments = running
    return policies


@pytest.mark.parametrize(
    ("knob", "parts"),
    [
        ("fit.high", ("fit", "high")),
        ("search.words_weight", ("search", "words_weight")),
        ("prompt/solve", ("prompt/solve", "")),
        ("prompt/a.b", ("prompt/a.b", "")),
    ],
)
def test_a_knob_is_a_field_of_a_policy_or_a_prompt(knob: str, parts: tuple[str, str]) -> None:
    assert split_knob(knob) == parts


def test_a_change_turns_a_knob_for_each_field() -> None:
    assert knobs_of("fit", {"high": 0.9, "middle": 0.4}) == ["fit.high", "fit.middle"]
    assert knobs_of("prompt/solve", {"text": "x"}) == ["prompt/solve"]
    assert knobs_of("fit", {}) == []


class Experiments:
    def __init__(self, **held: str) -> None:
        self.experiments = self
        self._held = {name.replace("__", "."): id for name, id in held.items()}
        self.ended: list[tuple[str, Any, str, str]] = []
        self.asked: list[str] = []

    async def holders(self, knobs: list[str]) -> dict[str, str]:
        self.asked += knobs
        return {knob: self._held[knob] for knob in knobs if knob in self._held}

    async def end(self, id: str, end: Any) -> None:
        self.ended.append((id, end.outcome, end.reason, end.who))


async def test_what_is_changed_ends_the_experiments_on_it() -> None:
    stores = Experiments(fit__high="e1", fit__middle="e2", fit__new="e3")
    before: Any = {"high": 0.8, "middle": 0.5, "gone": 1}
    after: Any = {"high": 0.9, "middle": 0.5, "new": 2}
    await interrupt_experiments(cast(Any, stores), "fit", before, after, "ada said so")
    assert sorted(stores.asked) == ["fit.gone", "fit.high", "fit.new"]
    told = "is not what it was when the experiment began: ada said so"
    assert sorted(stores.ended) == [
        ("e1", ExperimentOutcome.STOPPED, f"fit.high {told}", "policies"),
        ("e3", ExperimentOutcome.STOPPED, f"fit.new {told}", "policies"),
    ]
