"""How sure an answer is: a chain is as sure as its links together, and says why."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from hammerstone.core.answers import Proof, Sureness
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Spec, Status, Tool, Version
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.confidence import confidence_of
from hammerstone.run.answer.wording import _proof, notes
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import PLAIN_VOTES
from hammerstone.run.solve.votes import tally

POLICY = AnswerPolicy()


def tool(name: str = "area", confidence: float | None = 0.9, status: Status = Status.VERIFIED):
    version = Version("1", name, 1, "", Spec(name, "", {}, {}), (), (), {}, datetime.now(UTC))
    return Tool(name, version, status, confidence)


def solved(*values: Any, confidence: float = 0.8) -> Any:
    made = [Solution("def f(n):\n    return n\n", "f", "f(3)", value) for value in values]
    return SimpleNamespace(
        tally=tally(made, "", PLAIN_VOTES),
        confidence=confidence,
        why="they say so",
        winner=made[0],
    )


def sure(*steps: StepOutcome) -> Any:
    return confidence_of(steps, POLICY)


def test_a_tool_is_as_sure_as_its_proof_its_fit_and_its_arguments() -> None:
    assert sure(StepOutcome(True, tool(), certain_arguments=True)).confidence == 0.9
    assert sure(StepOutcome(True, tool())).confidence == pytest.approx(0.9 * 0.95)
    half = sure(StepOutcome(True, tool(), fit=0.5, certain_arguments=True))
    assert half.confidence == pytest.approx(0.45)
    unknown = StepOutcome(True, tool(confidence=None), certain_arguments=True)
    assert sure(unknown).confidence == POLICY.unknown_tool
    nothing = StepOutcome(True, tool(confidence=0.0), certain_arguments=True)
    assert sure(nothing).confidence == 0.0
    doubtful = StepOutcome(True, tool(), certain_arguments=True, doubt="its tests")
    assert sure(doubtful).confidence == pytest.approx(0.9 * POLICY.doubtful)


def test_a_solution_that_agrees_makes_the_fit_likelier() -> None:
    def of(fit: float) -> float:
        step = StepOutcome(True, tool(confidence=1.0), fit=fit, certain_arguments=True, agrees=True)
        return sure(step).confidence

    assert of(0.5) == pytest.approx(12 / 13)
    assert of(0.1) < of(0.5) < of(0.9) < of(1.0) <= 1.0


def test_a_chain_multiplies_and_tells_of_its_weakest_link() -> None:
    weak = StepOutcome(True, tool("weak", 0.6), certain_arguments=True, fit=0.9)
    strong = StepOutcome(True, tool("strong", 1.0), certain_arguments=True)
    found = sure(strong, weak, strong)
    assert found.confidence == pytest.approx(0.54)
    assert found.sureness is Sureness.UNSURE
    assert found.why == "weak is proved, and it is 90% likely the right tool"
    assert (found.agree, found.solutions, found.alternatives) == (0, 0, ())


def test_solutions_tell_their_votes_and_the_others() -> None:
    found = sure(StepOutcome(True, solved=solved(5, 5, 5, {"$set": [6]}, 7, 8, 9, 10)))
    assert (found.confidence, found.why) == (0.8, "they say so")
    assert (found.agree, found.solutions) == (3, 8)
    assert [other["value"] for other in found.alternatives] == [[6], 7, 8, 9]
    assert sure(StepOutcome(False, error="no")).confidence == 0.0
    assert sure(StepOutcome(False, error="no")).why == "no"


def test_a_tool_beside_a_solution_tells_of_the_tool() -> None:
    step = StepOutcome(True, tool(), agrees=True, solved=solved(5, 5))
    assert sure(step).why == "area is proved, and a new solution gives the same result"
    assert sure(step).solutions == 2
    new = StepOutcome(True, tool(status=Status.EXPERIMENTAL))
    assert sure(new).why == "area is not proved yet"


def test_what_has_to_be_known_beside_the_result() -> None:
    old = tool("old", status=Status.DEPRECATED)
    done = {
        "1": StepOutcome(True, old),
        "2": StepOutcome(True, old, doubt="it is negative"),
        "3": StepOutcome(True, tool()),
        "4": StepOutcome(True),
    }
    outcome: Any = SimpleNamespace(done=done)
    assert notes(outcome) == [
        "old is deprecated: there is a better tool",
        "doubtful: it is negative",
    ]


def test_a_proof_is_the_standing_of_its_tool() -> None:
    assert _proof(None) is Proof.NONE
    assert _proof(tool()) is _proof(tool(status=Status.TRUSTED)) is Proof.PROVED
    for status in (Status.EXPERIMENTAL, Status.DEPRECATED, Status.RETIRED):
        assert _proof(tool(status=status)) is Proof.UNPROVED
