"""The same bank with less to go by: harder cases, and each ingredient off in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.bank.evaluate import ScoredTask, Setup
from hammerstone.evaluation.bank.report import calibration_error
from hammerstone.synthesis.examine.belief.confidence import Calibration, shipped

AS_GIVEN, HARDEST = "as given", "hardest half of the tasks"
NO_EXAMPLES, ONE_EXAMPLE = "examples taken out", "only the first example"
ONE_QUESTION = "one question"
OTHER_BANK = "fitted on the other bank"
HARDER = (
    NO_EXAMPLES, ONE_EXAMPLE, ONE_QUESTION, f"{NO_EXAMPLES}, {ONE_QUESTION}", OTHER_BANK,
    f"{NO_EXAMPLES}, {OTHER_BANK}",
)  # fmt: skip

STRENGTHENING = "without strengthening"
RAW_SHARE = Calibration(("share",), (1.0,), 0.0, "the share of the candidates that agree")


def variants(setup: Setup, *, harder: bool, ablation: bool) -> dict[str, Setup]:
    """The setups to compare with, none of which freezes a suite."""
    setup = replace(setup, freezes=False)
    ingredients, policy = setup.ingredients, setup.policy
    found: dict[str, Setup] = {}
    if harder:
        untold = replace(setup, ingredients=replace(ingredients, examples=0))
        one = replace(setup, ingredients=replace(ingredients, examples=1))
        asked = replace(setup, questions=1), replace(untold, questions=1)
        other = replace(setup, other_bank=True), replace(untold, other_bank=True)
        found = dict(zip(HARDER, (untold, one, *asked, *other), strict=True))
    if not ablation:
        return found
    one_go = replace(policy, first_candidates=8, first_suites=4, max_candidates=8, max_suites=4)
    found |= {
        "without test authors' voices": replace(
            setup, ingredients=replace(ingredients, voices=False)
        ),
        "without made-up inputs": replace(
            setup, ingredients=replace(ingredients, varied=0, stretched=0)
        ),
        "without covering (raising is a behaviour)": replace(
            setup, ingredients=replace(ingredients, covering=False)
        ),
        "without escalation (8 candidates, 4 suites)": replace(setup, policy=one_go),
        "without calibration (raw share of the votes)": replace(setup, calibration=RAW_SHARE),
    }
    for name in ("second_reading", "one_program", "several", "told"):
        blind = replace(setup, calibration=_blind(shipped(), name))
        found[f"without {name.replace('_', ' ')}"] = blind
    return found


def _blind(calibration: Calibration, name: str) -> Calibration:
    """The calibration without the weight of one feature; not fitted again."""
    weights = zip(calibration.names, calibration.weights, strict=True)
    left = tuple(0.0 if one == name else weight for one, weight in weights)
    return replace(calibration, weights=left)


@dataclass(frozen=True, slots=True)
class VariantRow:
    """Share verified, how many of these are right, and what it took."""

    scored: Sequence[ScoredTask]

    def to_json(self) -> JsonObject:
        count = max(1, len(self.scored))
        verified = [one for one in self.scored if one.verified]
        right = sum(one.right for one in verified)
        return {
            "tasks": len(self.scored),
            "coverage": len(verified) / count,
            "precision": right / len(verified) if verified else None,
            "wrong": len(verified) - right,
            "ece": calibration_error(self.scored),
            "mean_candidates": sum(one.candidates for one in self.scored) / count,
            "mean_tokens": sum(one.tokens for one in self.scored) / count,
            "questions_asked": sum(one.questions for one in self.scored),
        }


def harder_table(
    scored: Sequence[ScoredTask], varied: Mapping[str, Sequence[ScoredTask]]
) -> JsonObject:
    """As given, with fewer examples, and each of these on the hardest half of the tasks.

    Hard are the tasks of which the fewest candidates are right. The label only picks rows of
    this table; no verdict depends on it.
    """
    table: JsonObject = {}
    for name, rows in {AS_GIVEN: scored, **{name: varied[name] for name in HARDER}}.items():
        middle = sorted(one.ease for one in rows)[len(rows) // 2]
        hard = [one for one in rows if one.ease < middle] or list(rows)
        table[name] = VariantRow(rows).to_json()
        table[f"{name}, {HARDEST}"] = VariantRow(hard).to_json()
    return table


def ablation_table(
    scored: Sequence[ScoredTask], varied: Mapping[str, Sequence[ScoredTask]]
) -> JsonObject:
    """Each ingredient off in turn. Strengthening changes the suite, not the verdict."""
    table: JsonObject = {
        name: VariantRow(rows).to_json() for name, rows in varied.items() if name not in HARDER
    }
    verified = [one for one in scored if one.verified]
    scores: dict[str, Json] = {
        "mutation_score": _mean([one.mutation_score for one in verified]),
        "mutation_score_without": _mean([one.authored_score for one in verified]),
    }
    table[STRENGTHENING] = {**VariantRow(scored).to_json(), **scores}
    return table


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
