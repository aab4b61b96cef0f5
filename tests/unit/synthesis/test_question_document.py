"""The question that is kept with a tool: what people read, and the values to the letter."""

import json

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.synthesis.examine.verdict import ReadingQuestion
from hammerstone.synthesis.registering import question_document


def test_a_question_is_kept_with_its_values_and_the_belief_in_them() -> None:
    results = (wire.encode((1e16, 2)), wire.encode({3}))
    kept = question_document(ReadingQuestion(Call(source="f(1)"), results, (0.61234567, 0.3)))
    assert kept["call"] == "f(1)" and kept["results"] == ["(1e+16, 2)", "{3}"]
    assert kept["belief"] == [0.6123, 0.3]
    values = json.loads(str(kept["values"]))
    assert tuple(values) == results and "1e+16" in str(kept["values"])


def test_results_that_nobody_compares_are_kept_to_be_read_alone() -> None:
    long = ReadingQuestion(Call(source="f(1)"), ("x" * 20_000, "y"), (0.6, 0.3))
    kept = question_document(long)
    assert "values" not in kept and str(kept["results"]).count("x") <= 400
