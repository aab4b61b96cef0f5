"""Who gives each argument of a tool on a path."""

from typing import Any

import pytest

from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.library.graph.arguments import bind
from hammerstone.library.graph.nodes import GraphNode, node_of_spec
from hammerstone.library.graph.path import Binding, Have
from tests.unit.library.graph.conftest import spec

NUMBER: dict[str, Any] = {"type": "number"}
PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"email": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["email", "age"],
}
LOOK_UP = node_of_spec(spec("person", "Look up a person.", PERSON, person_name="string"))
AGE = node_of_spec(spec("birthday_age", "The age in years.", {"type": "integer"}, date="string"))


def tool(**parameters: Any) -> GraphNode:
    return node_of_spec(spec("tool", "Does it.", {"type": "null"}, **parameters))


def sources(node: GraphNode, *have: Have, earlier: tuple[GraphNode, ...] = ()) -> dict[str, Any]:
    return {made.parameter: made.source for made in bind(node, have, earlier, None)}


def test_a_thing_at_hand_is_given_once_to_whom_it_fits_best() -> None:
    have = Have.value("email", "ada@example.org"), Have.value("count", 3)
    assert sources(tool(email="string", count="integer"), *have) == {
        "email": FromRequest("email"),
        "count": FromRequest("count"),
    }
    assert sources(tool(count="integer", amount="integer"), *have) == {
        "count": FromRequest("count"),
        "amount": FromRequest(),  # the one number is used already
    }


def test_of_two_that_fit_the_one_of_the_same_name_is_taken() -> None:
    for names in (("height", "width"), ("width", "height")):
        have = [Have.value(name, 2.5) for name in names]
        assert sources(tool(width="number"), *have) == {"width": FromRequest("width")}


def test_a_part_of_a_thing_is_taken_only_where_it_fits_better() -> None:
    person = Have.value("person", {"email": "ada@example.org", "age": 36})
    assert sources(tool(email="string"), person) == {"email": FromRequest("person", ("email",))}
    given = Have.value("email", "bob@example.org")
    for have in ((person, given), (given, person)):
        assert sources(tool(email="string"), *have) == {"email": FromRequest("email")}


def test_each_item_of_a_list_is_no_argument() -> None:
    assert sources(tool(width="number"), Have.value("widths", [1.5, 2.5])) == {
        "width": FromRequest()
    }


def test_what_is_optional_needs_its_own_name_or_meaning() -> None:
    unnamed = Have.value("words", "hello")
    assert sources(tool(note="string?"), unnamed) == {}
    assert sources(tool(note="string?"), Have.value("note", "hello")) == {
        "note": FromRequest("note")
    }
    assert sources(tool(email="string?"), Have.value("sender_email", "ada@example.org")) == {
        "email": FromRequest("sender_email")
    }


def test_what_is_required_is_filled_first() -> None:
    node = tool(note="string?", email="string")
    made = bind(node, [Have.value("email", "ada@example.org")], (), None)
    assert made[0].parameter == "email" and len(made) == 1


def test_an_earlier_step_gives_what_has_the_same_name_the_latest_first() -> None:
    node = tool(email="string")
    assert sources(node, earlier=(LOOK_UP,)) == {"email": FromStep(1, ("email",))}
    assert sources(node, earlier=(LOOK_UP, LOOK_UP, AGE)) == {"email": FromStep(2, ("email",))}
    assert sources(tool(weight="number"), earlier=(LOOK_UP,)) == {"weight": FromRequest()}


def test_what_is_at_hand_comes_before_what_an_earlier_step_gave() -> None:
    given = Have.value("email", "ada@example.org")
    assert sources(tool(email="string"), given, earlier=(LOOK_UP,)) == {
        "email": FromRequest("email")
    }


@pytest.mark.parametrize("kind", ["string", "boolean", "array"])
def test_what_nobody_has_is_to_be_said(kind: str) -> None:
    assert bind(tool(it=kind), (), (), None) == (Binding("it", FromRequest()),)
    assert bind(tool(it=f"{kind}?"), (), (), None) == ()
