"""Results that keep the declared type."""

from hammerstone.core.json_types import JsonObject
from hammerstone.synthesis.examine.promises import broken_promise


def test_a_result_of_another_type_is_noticed() -> None:
    number: JsonObject = {"type": "number"}
    assert broken_promise(number, [1, 2.5]) == ""
    assert "is not of type 'number'" in broken_promise(number, ["a", "b", 1])
    assert broken_promise(number, [1, 2, None]) == ""  # an exception, not the rule
    assert broken_promise({"type": "array"}, [{"$tuple": [1]}]) == ""
    assert broken_promise({"type": 7}, ["a"]) == ""  # the schema itself is wrong
