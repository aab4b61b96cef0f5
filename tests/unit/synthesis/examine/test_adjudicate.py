"""The model's word on a disagreement: read with care, weighed as one witness."""

import numpy as np
import pytest

from hammerstone.core.calls import Call
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.synthesis.examine.adjudicate import ModelAdjudicator, read_vote
from hammerstone.synthesis.examine.belief.belief import Adjudication, ExaminationEvidence, weigh
from hammerstone.synthesis.examine.verdict import ReadingQuestion

QUESTION = ReadingQuestion(Call(source="double([3])"), ([6], [9]), (0.6, 0.3))


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("3 * 2 = 6\nAnswer: A", [0]),
        ("I first thought answer: A, but no.\n**Answer: B**", [1]),
        ("Answer: neither", [None]),
        ("It returns [6].", []),
        ("", []),
    ],
)
def test_a_vote_is_what_a_reply_ends_with(text: str, votes: list[int | None]) -> None:
    assert read_vote(text) == votes


async def test_half_of_the_samples_see_the_results_in_the_other_order() -> None:
    model = ScriptedModel([["Answer: A", "Answer: A"], ["Answer: B", "no idea"]])
    votes = await ModelAdjudicator(model, "def double(xs): ...", samples=4).votes(QUESTION)
    assert votes == [0, 0, 0]
    first, second = (prompt.messages[-1].text for prompt in model.prompts)
    assert "A: [6]\nB: [9]" in first
    assert "A: [9]\nB: [6]" in second


def test_samples_of_one_model_are_one_voice() -> None:
    cells = np.array([[0, 0], [0, 1]])
    few = Adjudication(1, {1: 1.0}, 0.4)
    belief = weigh(ExaminationEvidence(cells, adjudged=[few]))
    assert int(belief.ranking[0].group.labels[1]) == 1
    assert belief.features["adjudged"] == pytest.approx(0.4)
    split = weigh(ExaminationEvidence(cells, adjudged=[Adjudication(1, {0: 0.5, 1: 0.5}, 0.4)]))
    assert split.features["adjudged"] == 0.0
    outvoted = weigh(ExaminationEvidence(np.array([[0, 0]] * 9 + [[0, 1]]), adjudged=[few]))
    assert int(outvoted.ranking[0].group.labels[1]) == 0
    assert outvoted.features["adjudged"] == pytest.approx(-0.4)
