"""What a person and the API get told about the arguments of a path."""

from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.library.graph.matching import MatchLevel
from hammerstone.library.graph.path import Binding, Hop, Path


def test_what_is_at_hand() -> None:
    made = Binding(
        "email", FromRequest("person", ("email",)), MatchLevel.CONVERTIBLE, "same meaning"
    )
    assert str(made) == "email from person at email (same meaning, converted)"
    assert made.to_json() == {
        "parameter": "email",
        "have": "person",
        "step": None,
        "path": ["email"],
        "level": str(MatchLevel.CONVERTIBLE),
        "why": "same meaning",
    }


def test_the_result_of_an_earlier_hop() -> None:
    made = Binding("values", FromStep(1, ("rows", "*")), MatchLevel.COMPATIBLE, "same type")
    assert str(made) == "values from step 1 at rows.* (same type)"
    assert made.to_json() == {
        "parameter": "values",
        "have": None,
        "step": 1,
        "path": ["rows", "*"],
        "level": str(MatchLevel.COMPATIBLE),
        "why": "same type",
    }
    assert Hop("mean", (made,)).explanation.endswith("the types fit, but nobody has done it yet")


def test_what_the_request_still_has_to_give() -> None:
    made = Binding("body", FromRequest())
    assert str(made) == "body: to be said"
    assert made.to_json() == {
        "parameter": "body",
        "have": None,
        "step": None,
        "path": [],
        "level": None,
        "why": "",
    }
    assert Path((Hop("send_mail", (made,)),), 1.0, "x").missing == (("send_mail", "body"),)
