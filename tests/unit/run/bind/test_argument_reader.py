"""A model asked for the arguments that the words leave open: how often, and with what."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.bind.arguments import (
    ArgumentReader,
    Arguments,
    read_arguments,
)

SPEC = Spec(
    "greet",
    "Greets somebody.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "language": {"type": "string"},
            "times": {"type": "integer"},
        },
        "required": ["name", "times"],
        "additionalProperties": False,
    },
    {"type": "string"},
)


async def asked(
    *said: Any, request: str = "greet Ada in French 3 times", **options: Any
) -> tuple[Arguments, ScriptedModel]:
    model = ScriptedModel(said)
    given = {"attempts": 2, **options}
    return await ArgumentReader(model).read(SPEC, request, **given), model


async def test_only_what_is_open_is_asked_for() -> None:
    found, model = await asked('{"name": "Ada", "language": "French"}')
    assert found == Arguments({"name": "Ada", "language": "French", "times": 3})
    (prompt,) = model.prompts
    schema = cast(Any, prompt.schema)
    assert list(schema["properties"]) == ["name", "language"]
    assert (schema["required"], schema["additionalProperties"]) == (["name"], False)
    shown = prompt.messages[-1].text
    assert '"times": 3' in shown and "greet Ada in French" in shown


async def test_where_nothing_is_open_nobody_is_asked() -> None:
    known: JsonObject = {"name": "Ada", "language": "French"}
    found, model = await asked(known=known)
    assert (found.values, model.prompts) == ({**known, "times": 3}, [])
    wrong, _ = await asked(known={**known, "times": "many"})
    assert wrong.problem.startswith("times: ")


class Careless:
    """A model that keeps to no schema."""

    def __init__(self, *said: str) -> None:
        self._said = [*said]
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt, **_: Any) -> Any:
        self.prompts.append(prompt)
        return SimpleNamespace(text=self._said.pop(0))

    async def read(self, attempts: int = 2) -> Arguments:
        reader = ArgumentReader(cast(Any, self))
        return await reader.read(SPEC, "greet Ada 3 times, A for short", attempts=attempts)


async def test_a_mismatch_is_shown_before_the_next_try() -> None:
    model = Careless('{"name": "A"}', '{"name": "Ada"}')
    assert await model.read() == Arguments({"name": "Ada", "times": 3})
    assert len(model.prompts) == 2
    again = " ".join(message.text for message in model.prompts[1].messages)
    assert '{"name": "A"}' in again and "name: " in again


@pytest.mark.parametrize(("attempts", "asked_for"), [(2, 2), (1, 1), (0, 1)])
async def test_a_model_is_asked_as_often_as_allowed(attempts: int, asked_for: int) -> None:
    model = Careless(*['{"name": "A"}'] * 3)
    found = await model.read(attempts)
    assert found.problem.startswith("name: ")
    assert len(model.prompts) == asked_for


async def test_a_required_value_that_a_model_leaves_out_is_asked_of_the_person() -> None:
    found, _ = await asked(ModelNonsense("no name"))
    assert found == Arguments({"times": 3}, "", ("name",))
    known: JsonObject = {"name": "Ada"}
    optional, _ = await asked(ModelNonsense("odd"), known=known)
    assert optional == Arguments({"name": "Ada", "times": 3}, "odd", ())


async def test_the_persons_words_decide_what_is_made_up() -> None:
    request = "Earlier: Bob. greet Ada 3 times"
    found, _ = await asked('{"name": "Bob"}', request=request, words="greet Ada 3 times")
    assert found.invented == ("name",)
    believed, _ = await asked('{"name": "Bob"}', request=request)
    assert believed.invented == ()


def test_arguments_come_in_the_order_of_the_parameters() -> None:
    text = '{"times": 3, "other": "Ada", "name": "Ada"}'
    found = read_arguments(SPEC, {}, text, "greet Ada 3 times in any other way")
    assert list(found.values)[:2] == ["name", "times"]
    assert read_arguments(SPEC, {"times": 5}, '{"name": "Ada", "times": 3}', "Ada 3").values == {
        "name": "Ada", "times": 5,
    }  # fmt: skip
    assert read_arguments(SPEC, {}, "[1]", "x").problem == "not a JSON object"
    assert read_arguments(SPEC, {}, "{", "x").problem.startswith("not JSON (")


async def test_settled_arguments_are_checked_without_a_model() -> None:
    all_known: JsonObject = {"name": "Ada", "language": "French", "times": "x"}
    reader = ArgumentReader(ScriptedModel([]))
    found = await reader.read(SPEC, "", attempts=1, known=all_known)
    assert found.problem.startswith("times: ")
