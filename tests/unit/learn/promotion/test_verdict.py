"""The gate's rule as a table: what the evidence shows, at its bounds too."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import MeasuredEffect, ProposalEvidence, ScorePair
from hammerstone.learn.promotion.verdict import GateFinding, rule

POLICY = GatePolicy(alpha=0.01, confidence=0.9, min_equal=2)
FAILING = (ScorePair("failing", 0, 1),)


def pairs(wins: int = 0, losses: int = 0, ties: int = 0) -> tuple[ScorePair, ...]:
    made = [ScorePair(f"w{n}", 0, 1) for n in range(wins)]
    made += [ScorePair(f"l{n}", 1, 0) for n in range(losses)]
    return (*made, *(ScorePair(f"t{n}", 1, 1) for n in range(ties)))


def effect(gain: float, low: float, high: float, p: float = 0.001, least: float = 0.1) -> Any:
    return ProposalEvidence(measured=MeasuredEffect("right", gain, low, high, p, 200, least))


@pytest.mark.parametrize(
    ("evidence", "promotes", "finding", "said"),
    [
        (ProposalEvidence(), False, "no evidence", "nothing to test it on"),
        (ProposalEvidence(held_out=pairs(7)), True, "better", "7 better, 0 worse, 0 the same"),
        (ProposalEvidence(held_out=pairs(6)), False, "noise", "chance explains it"),
        (ProposalEvidence(held_out=pairs(ties=3)), False, "no-op", "changes no result"),
        (ProposalEvidence(held_out=pairs(0, 9)), False, "worse", "0 better, 9 worse"),
        (ProposalEvidence(held_out=pairs(9), passes=(ScorePair("f", 1, 0.99),)), False, "breaks",
         "f was right and would be wrong"),
        (ProposalEvidence(held_out=pairs(9), passes=pairs(0, 3)), False, "breaks",
         "l0 was right and would be wrong and 2 more"),
        (ProposalEvidence(held_out=pairs(9), passes=(ScorePair("f", 0.5, 0),)), True, "better", ""),
        (ProposalEvidence(held_out=pairs(9), passes=(ScorePair("f", 1, 1 - 1e-12),)), True,
         "better", ""),
        # equivalent: the same for less
        (ProposalEvidence(held_out=pairs(ties=2), equivalent=True, saved_calls=1.5), True,
         "cheaper", "the same on 2 recorded calls, calls saved by each use: 1.5"),
        (ProposalEvidence(held_out=pairs(ties=2), equivalent=True, saved_s=0.1), True,
         "cheaper", ""),
        (ProposalEvidence(held_out=pairs(ties=1), equivalent=True, saved_s=0.1), False,
         "no evidence", "only 1 recorded calls to compare, 2 are needed"),
        (ProposalEvidence(held_out=pairs(ties=2), equivalent=True), False, "no-op",
         "nothing gets faster"),
        (ProposalEvidence(held_out=pairs(0, 1, 5), equivalent=True, saved_s=1), False,
         "different", "1 recorded calls give another result"),
        (ProposalEvidence(held_out=(*pairs(ties=5), ScorePair("x", 0, 0)), equivalent=True,
                          saved_s=1), False, "different", "1 recorded calls"),
        # proved by independent witnesses
        (ProposalEvidence(search=FAILING, confidence=0.9), True, "proved", "90% sure"),
        (ProposalEvidence(search=FAILING, confidence=0.89), False, "unsure", "90% is needed"),
        (ProposalEvidence(held_out=pairs(1), confidence=0.95), True, "proved", ""),
        (ProposalEvidence(held_out=pairs(ties=1), confidence=0.95), False, "no-op",
         "it repairs nothing"),
        (ProposalEvidence(search=FAILING, held_out=pairs(0, 1), confidence=0.99), False, "worse",
         "1 recorded calls get worse"),
        # by use, by a policy's rule
        (ProposalEvidence(rule="unused for a year"), True, "by use", "unused for a year"),
        (ProposalEvidence(rule="unused", held_out=pairs(0, 9)), False, "worse", ""),
        # measured with people's sessions; 0.1 is worth having
        (effect(0.2, 0.05, 0.3), True, "better", "right by +0.2, between +0.05 and +0.3, over 200"),
        (effect(-0.2, -0.3, -0.1), False, "worse", ""),
        (effect(0.05, -0.2, 0.09), False, "no-op", "less than the 0.1 that would be worth it"),
        (effect(0.05, 0.01, 0.2), False, "no-op", ""),
        (effect(0.1, 0.01, 0.2), True, "better", ""),
        (effect(0.2, 0.0, 0.4), False, "noise", "chance explains it"),
        (effect(0.2, 0.05, 0.4, p=0.01), True, "better", "p = 0.01"),
        (effect(0.2, 0.05, 0.4, p=0.011), False, "noise", ""),
    ],
)  # fmt: skip
def test_what_the_evidence_shows(
    evidence: ProposalEvidence, promotes: bool, finding: str, said: str
) -> None:
    ruling = rule(evidence, POLICY)
    assert (ruling.promotes, ruling.finding) == (promotes, finding)
    assert isinstance(ruling.finding, GateFinding)
    assert said in ruling.reason


def test_the_numbers_go_with_the_ruling() -> None:
    ruling = rule(ProposalEvidence(held_out=pairs(8, 0, 2)), POLICY)
    assert ruling.numbers == {"wins": 8, "losses": 0, "ties": 2, "p": 0.5**8}
    proved = rule(ProposalEvidence(search=FAILING, confidence=0.95), POLICY)
    assert proved.numbers["confidence"] == 0.95
    grounds: dict[str, Any] = {"days": 400}
    assert rule(ProposalEvidence(rule="unused", grounds=grounds), POLICY).numbers == grounds
    assert rule(effect(0.2, 0.05, 0.3), POLICY).numbers["units"] == 200


scores = st.sampled_from([0.0, 0.3, 1.0])
drawn_pairs = st.lists(st.tuples(scores, scores), max_size=12).map(
    lambda drawn: tuple(ScorePair(str(n), a, b) for n, (a, b) in enumerate(drawn))
)


@given(drawn_pairs, drawn_pairs, st.none() | st.floats(0, 1), st.booleans())
def test_nothing_is_promoted_that_breaks_something_or_is_only_worse(
    held_out: tuple[ScorePair, ...],
    passes: tuple[ScorePair, ...],
    confidence: float | None,
    equivalent: bool,
) -> None:
    evidence = ProposalEvidence(
        held_out=held_out, passes=passes, confidence=confidence, equivalent=equivalent, saved_s=1
    )
    ruling = rule(evidence, POLICY)
    if any(one.before == 1 and one.after < 1 for one in passes):
        assert ruling.finding == "breaks" and not ruling.promotes
    if ruling.promotes:
        better = sum(one.after > one.before for one in held_out)
        worse = sum(one.after < one.before for one in held_out)
        assert better >= worse
        assert equivalent or confidence is not None or better > worse
    assert ProposalEvidence.from_json(evidence.to_json()) == evidence
