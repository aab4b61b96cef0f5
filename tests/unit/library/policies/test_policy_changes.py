"""What a change of a policy or of a prompt is called."""

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.library.policies.policy_changes import PROMPT, change_title


@pytest.mark.parametrize(
    ("name", "before", "after", "title"),
    [
        ("fit", {"high": 0.8}, {"high": 0.9}, "policy fit: high from 0.8 to 0.9"),
        ("fit", {"high": 0.8}, {}, "policy fit: high from 0.8 to the default"),
        ("fit", {"a": 1, "b": 2}, {"a": 1, "b": 3}, "policy fit: b from 2 to 3"),
        (
            "fit",
            {},
            {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1},
            "policy fit: a from the default to 1, b from the default to 1, "
            "c from the default to 1, d from the default to 1 and 2 more",
        ),
        (f"{PROMPT}solve", {}, {"text": "x"}, "prompt solve: a text of your own"),
        (f"{PROMPT}solve", {"text": "x"}, {}, "prompt solve: the original text again"),
    ],
)
def test_a_title_names_what_became_of_it(
    name: str, before: JsonObject, after: JsonObject, title: str
) -> None:
    assert change_title(name, before, after) == title
