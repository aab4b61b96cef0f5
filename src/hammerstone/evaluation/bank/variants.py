"""The same bank with less to go by: harder cases, and each ingredient off in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.bank.evaluate import ScoredTask, Setup
from hammerstone.evaluation.bank.report import calibration_error
from hammerstone.synthesis.examine.confidence import Calibration

AS_GIVEN, HARDEST = "as given", "hardest half of the tasks"
NO_EXAMPLES, ONE_EXAMPLE = "examples taken out", "only the first example"
HARDER = (NO_EXAMPLES, ONE_EXAMPLE)

STRENGTHENING = "without strengthening"
RAW_SHARE = Calibration(("share",), (1.0,), 0.0, "the share of the candidates that agree")


def variants(setup: Setup, *, harder: bool, ablation: bool) -> dict[str, Setup]:
    """The setups to compare with, none of which freezes a suite."""
    setup = replace(setup, freeze=False)
    ingredients, policy = setup.ingredients, setup.policy
    found: dict[str, Setup] = {}
    if harder:
        found[NO_EXAMPLES] = replace(setup, ingredients=replace(ingredients, examples=0))
        found[ONE_EXAMPLE] = replace(setup, ingredients=replace(ingredients, examples=1))
    if not ablation:
        return found
    one_go = replace(
        policy, first_candidates=8, first_suites=4, max_candidates=8, max_candidates_unmet=8,
        max_candidates_answered=8, min_candidates_untold=8, max_suites=4,
    )  # fmt: skip
    eager = replace(
        policy, verified_at_untold=policy.verified_at, min_candidates_untold=policy.min_candidates
    )
    trusting = replace(policy, min_votes=1, equal_weight=1.0)
    found |= {
        "without examples in the spec": replace(
            setup, ingredients=replace(ingredients, examples=0)
        ),
        "without test authors' voices": replace(
            setup,
            ingredients=replace(ingredients, voices=False),
            policy=replace(policy, min_voices_untold=0, min_support_untold=0.0),
        ),
        "without made-up inputs": replace(
            setup, ingredients=replace(ingredients, varied=0, stretched=0)
        ),
        "without covering (raising is a behaviour)": replace(
            setup, ingredients=replace(ingredients, covering=False)
        ),
        "without escalation (8 candidates, 4 suites)": replace(setup, policy=one_go),
        "without calibration (raw share of the votes)": replace(setup, calibration=RAW_SHARE),
        "without extra caution where nothing was told": replace(setup, policy=eager),
        "without a veto of rivals and small majorities": replace(setup, policy=trusting),
        "without the rule on second readings": replace(setup, policy=replace(policy, rivals=1.0)),
        "without extra caution with one example": replace(
            setup, policy=replace(policy, few_examples=0)
        ),
        "without counting copies once": replace(setup, policy=replace(policy, seconded=0.0)),
        "without questions": replace(setup, questions=0),
        "with one question": replace(setup, questions=1),
    }
    return found


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
