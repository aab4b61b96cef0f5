"""The chance that a tool is right, corrected by what the tools of this library turned out to be.

The shipped calibration was fitted for one model. On the scale of log odds the number it gives is
shifted and stretched, `a + b * logit(p)`. Without any experience that is no change at all for its
own model and a cautious one for another; every tool that turned out right or wrong moves it, as
far as its evidence is worth (the mode of the posterior under a Gaussian prior).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from hammerstone.core.json_types import JsonObject
from hammerstone.synthesis.examine.belief.confidence import shipped

EMBEDDED_MODEL_NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"  # as traces and provenances say it
EMBEDDED_WITH_ADAPTER = f"{EMBEDDED_MODEL_NAME}+adapter-be39412b"
"""With the adapter that comes with the package: it writes solutions, while the candidates and tests
that a tool is examined by are the bare model's."""
SCRIPTED = "scripted"  # replies written by hand: there is no model to be cautious about
UNADJUSTED = "unadjusted_confidence"
"""In an assessment's evidence: what the shipped calibration said by itself.

The experience is about that number; fitted on corrected ones it would count itself twice."""

MOST = 0.99  # nothing that was only examined is surer than this
_EDGE = 1e-6


class OutcomeKind(StrEnum):
    """How it came out what a tool is worth."""

    STATED = "stated"  # a person named another result than the tool gave
    REFUSED = "refused"  # a person said wrong, and nothing more
    REPAIRED = "repaired"  # it failed on arguments that it accepts, and a repair took its place
    CONTRADICTED = "contradicted"  # a later examination chose other code
    CONFIRMED = "confirmed"  # a person said that a result is right
    AGREED = "agreed"  # an independent solution or another build came to the same
    USED = "used"  # many uses in several sessions, and nobody complained


AGAINST = frozenset(
    {
        OutcomeKind.STATED,
        OutcomeKind.REFUSED,
        OutcomeKind.REPAIRED,
        OutcomeKind.CONTRADICTED,
    }
)

WEIGHTS: Mapping[OutcomeKind, float] = {
    OutcomeKind.STATED: 1.0,
    OutcomeKind.REFUSED: 0.3,  # the tool or its arguments may have been the wrong ones to take
    OutcomeKind.REPAIRED: 1.0,
    OutcomeKind.CONTRADICTED: 0.7,  # an examination errs, too
    OutcomeKind.CONFIRMED: 0.7,  # one result is right, which a wrong tool can give as well
    OutcomeKind.AGREED: 0.5,  # the same, said by a model that may share the mistake
    OutcomeKind.USED: 0.2,  # silence: people do not check every result
}

PERSON_LIMIT = 3.0
"""What one person's word is worth at most, in tools, where several people share the library."""


@dataclass(frozen=True, slots=True)
class OutcomeSign:
    """One thing that happened. `person` is set where it rests on that person alone."""

    kind: OutcomeKind
    person: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A tool version: what was believed of it when it was examined, and what has come out since."""

    version_id: str
    tool: str
    model: str  # that wrote it
    confidence: float  # then, as the shipped calibration gave it
    signs: tuple[OutcomeSign, ...] = ()
    owner: str = ""  # for whom it was built


@dataclass(frozen=True, slots=True)
class WeighedOutcome:
    """An outcome with how much speaks for the tool and how much against it."""

    outcome: ToolOutcome
    for_it: float
    against: float

    @property
    def confidence(self) -> float:
        return self.outcome.confidence

    @property
    def weight(self) -> float:
        return self.for_it + self.against

    @property
    def known(self) -> bool:
        return self.for_it != self.against

    @property
    def right(self) -> bool:
        return self.for_it > self.against


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of the shift and the slope before anything came out."""

    shift: float
    slope: float
    shift_spread: float
    slope_spread: float


FITTED_PRIOR = Prior(shift=0.0, slope=1.0, shift_spread=0.3, slope_spread=0.15)
"""For the model of the shipped calibration, which was fitted on hundreds of its examinations."""

CAUTIOUS_PRIOR = Prior(shift=-0.7, slope=0.8, shift_spread=0.7, slope_spread=0.25)
"""For any other model. How much agreement is worth depends on how alike a model's mistakes are:
the calibration of answers, moved from one prompt to another, called 81 to 83 % right what it took
for 93 % (docs/design/answers.md), about one unit of log odds. So much is taken off at 0.8 to 0.9,
more above: 0.95 becomes 0.84, and nothing under 0.99 is verified on the first day."""


@dataclass(frozen=True, slots=True)
class OwnCalibration:
    """The correction in force for one model. `weight` is how much experience is in it, in tools."""

    model: str
    shift: float
    slope: float
    weight: float = 0.0
    judged: int = 0

    @property
    def fitted_for(self) -> str:
        return fitted_model()

    @property
    def cautious(self) -> bool:
        """Whether it began cautiously: the shipped calibration was fitted for another model."""
        return not _examined_alike(self.model)

    def adjusted(self, probability: float) -> float:
        """The chance that a tool is right, from what the shipped calibration says."""
        return min(MOST, _chance(self.shift + self.slope * _logit(probability)))

    def to_json(self) -> JsonObject:
        return {
            "model": self.model,
            "fitted_for": self.fitted_for,
            "cautious": self.cautious,
            "shift": round(self.shift, 4),
            "slope": round(self.slope, 4),
            "weight": round(self.weight, 3),
            "judged": self.judged,
            "examples": [
                {"shipped": each, "adjusted": round(self.adjusted(each), 4)}
                for each in (0.5, 0.8, 0.95)
            ],
        }


def own_calibration(model: str, outcomes: Iterable[ToolOutcome]) -> OwnCalibration:
    """The correction for a model's tools; outcomes of other models' tools say nothing here."""
    known = [each for each in weighed(outcomes) if each.outcome.model == model and each.weight]
    fitted = model == SCRIPTED or _examined_alike(model)
    prior = FITTED_PRIOR if fitted else CAUTIOUS_PRIOR
    shift, slope = _mode(prior, known)
    weight = sum(each.weight for each in known)
    return OwnCalibration(model, shift, slope, weight, len(known))


def _examined_alike(model: str) -> bool:
    """Whether the shipped calibration was fitted on examinations by the same model."""
    own = fitted_model()
    return model == own or (model, own) == (EMBEDDED_WITH_ADAPTER, EMBEDDED_MODEL_NAME)


def weighed(outcomes: Iterable[ToolOutcome]) -> list[WeighedOutcome]:
    """Each outcome by its strongest sign on either side.

    Where several people share a library, one person's word is worth `PERSON_LIMIT` tools at most,
    however often it is given: who calls everything wrong says it three times.
    """
    every = list(outcomes)
    scales = _scales(every)
    return [
        WeighedOutcome(
            each,
            max((_worth(s, scales) for s in each.signs if s.kind not in AGAINST), default=0.0),
            max((_worth(s, scales) for s in each.signs if s.kind in AGAINST), default=0.0),
        )
        for each in every
    ]


def fitted_model() -> str:
    """The model that the shipped calibration was fitted for."""
    return shipped().model or EMBEDDED_MODEL_NAME


def _worth(sign: OutcomeSign, scales: Mapping[str, float]) -> float:
    return WEIGHTS[sign.kind] * scales.get(sign.person, 1.0)


def _scales(outcomes: Sequence[ToolOutcome]) -> dict[str, float]:
    """What each person's word is multiplied with."""
    said: dict[str, float] = {}
    for each in outcomes:
        for person in {sign.person for sign in each.signs} - {""}:
            worth = max(WEIGHTS[sign.kind] for sign in each.signs if sign.person == person)
            said[person] = said.get(person, 0.0) + worth
    people = {*said, *(each.owner for each in outcomes)} - {""}
    if len(people) < 2:
        return {}
    return {person: min(1.0, PERSON_LIMIT / worth) for person, worth in said.items() if worth}


def _mode(prior: Prior, known: Sequence[WeighedOutcome]) -> tuple[float, float]:
    """The likeliest shift and slope; a slope below none, which would turn the order round, is 0."""
    shift, slope = _newton(prior, known, free_slope=True)
    if slope >= 0:
        return shift, slope
    return _newton(prior, known, free_slope=False)


def _newton(
    prior: Prior, known: Sequence[WeighedOutcome], *, free_slope: bool
) -> tuple[float, float]:
    mean = np.array([prior.shift, prior.slope if free_slope else 0.0])
    precision = np.diag([prior.shift_spread**-2, prior.slope_spread**-2])
    if not known:
        return float(mean[0]), float(mean[1])
    logits = np.array([_logit(each.confidence) for each in known])
    design = np.column_stack([np.ones(len(logits)), logits if free_slope else 0 * logits])
    total = np.array([each.weight for each in known])
    right = np.array([each.for_it for each in known])

    def loss(at: "np.ndarray") -> float:
        score = design @ at
        apart = at - mean
        return float(total @ np.logaddexp(0, score) - right @ score + apart @ precision @ apart / 2)

    beta = mean.copy()
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (right - total * chance) - precision @ (beta - mean)
        spread = total * chance * (1 - chance)
        step = np.linalg.solve((design * spread[:, None]).T @ design + precision, gradient)
        while loss(beta + step) > loss(beta) and float(np.abs(step).max()) > 1e-10:
            step = step / 2
        beta = beta + step
        if float(np.abs(step).max()) < 1e-9:
            break
    return float(beta[0]), float(beta[1])


def _logit(probability: float) -> float:
    inside = min(1 - _EDGE, max(_EDGE, probability))
    return math.log(inside / (1 - inside))


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))
