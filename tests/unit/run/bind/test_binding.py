"""Arguments from everything that is known, each with where it came from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.dataflow import FROM_WORDS, Constant, DeclaredSource, FromRequest, FromStep
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Tool
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.bind.binding import ArgumentSources, Binder, BoundArguments
from hammerstone.run.find.plan import PlanStep
from hammerstone.run.understand.mentions import find_mentions
from hammerstone.storage import SessionValue
from tests.unit.run.made_runs import NOW, done, make_run, make_tool, session_value

NUMBER: JsonObject = {"type": "number"}
LIST: JsonObject = {"type": "array", "items": {"type": "number"}}


class Models:
    def __init__(self, *lines: str, earlier: Sequence[tuple[str, Json]] = ()) -> None:
        self.model = ScriptedModel(lines)
        self.earlier = list(earlier)

    def of(self, run: Any, role: Any) -> ScriptedModel:
        return self.model

    def get(self, kind: Any) -> Any:
        return kind()

    @property
    def executions(self) -> "Models":
        return self

    async def answering(self, tool: str, user: str, limit: int) -> list[tuple[str, Json]]:
        return self.earlier[:limit]


async def bind(
    text: str,
    tool: Tool | None = None,
    *,
    said: tuple[str, ...] = (),
    arguments: dict[str, Any] | None = None,
    after: tuple[str, ...] = (),
    values: tuple[SessionValue, ...] = (),
    made: tuple[SessionValue, ...] = (),
    before: dict[str, Any] | None = None,
    known: JsonObject | None = None,
    data: JsonObject | None = None,
    earlier: Sequence[tuple[str, Json]] = (),
) -> BoundArguments:
    models = cast(Any, Models(*said, earlier=earlier))
    step = PlanStep("9", text, arguments=arguments or {}, after=after)
    mentions = find_mentions(text, [*made, *values], NOW)
    given = ArgumentSources(step, mentions, made, before or {}, known or {}, data or {})
    return await Binder(models, models, models).bind(make_run(text), tool or make_tool(), given)


async def test_what_the_words_settle_needs_no_model() -> None:
    bound = await bind("double 5")
    assert (bound.values, bound.sources, bound.certain) == ({"n": 5}, {"n": FROM_WORDS}, True)
    assert (bound.problem, bound.question, bound.unused) == ("", None, ())


async def test_numbers_that_no_argument_takes_are_named() -> None:
    tool = make_tool(parameters={"n": NUMBER})
    bound = await bind("double it", tool, known={"n": 5})
    assert bound.unused == ()
    varied = await bind("10 instead of 20", tool, known={"n": 10})
    assert varied.unused == ()  # the value that goes is named, too


async def test_a_plan_names_constants_and_results() -> None:
    tool = make_tool(parameters={"n": NUMBER, "m": NUMBER})
    before = {"1": done({"total": [4, 6]})}
    arguments = {"n": Constant(3), "m": FromStep("1", ("total", 1))}
    bound = await bind("add them", tool, arguments=arguments, before=before)
    assert bound.values == {"n": 3, "m": 6}
    assert bound.sources == {
        "n": DeclaredSource(Constant(3)), "m": DeclaredSource(FromStep(0, ("total", 1))),
    }  # fmt: skip


async def test_the_number_of_a_kept_value_is_its_source() -> None:
    kept = session_value(4, step=3)
    from dataclasses import replace

    before = {"1": replace(done(4), value=kept)}
    bound = await bind("double it", arguments={"n": FromStep("1")}, before=before)
    assert bound.sources == {"n": DeclaredSource(FromStep(3))}


async def test_a_result_that_is_not_there_is_told() -> None:
    arguments = {"n": FromStep("1", ("total",))}
    bound = await bind("double it", arguments=arguments, before={"1": done(5)})
    assert bound.problem == "step 1 gave nothing usable: there is no 'total' in it"
    assert bound.values == {}


async def test_an_argument_from_the_request_is_read_from_the_words() -> None:
    bound = await bind("double 5", arguments={"n": FromRequest()})
    assert bound.values == {"n": 5}


async def test_known_values_count_where_the_tool_takes_them() -> None:
    bound = await bind("again", known={"n": 7, "other": 1})
    assert (bound.values, bound.sources) == ({"n": 7}, {"n": FROM_WORDS})
    planned = await bind("again", arguments={"n": Constant(3)}, known={"n": 7})
    assert planned.values == {"n": 3}


async def test_a_value_of_the_session_is_named_with_its_run() -> None:
    value = session_value(7, step=2, number=12)
    bound = await bind("double that result", values=(value,))
    assert bound.values == {"n": 7}
    assert bound.sources == {"n": DeclaredSource(FromStep(2), "run0", 12)}


async def test_a_value_of_this_run_is_named_by_its_step() -> None:
    value = session_value(7, step=2)
    bound = await bind("double that result", made=(value,))
    assert bound.sources == {"n": DeclaredSource(FromStep(2))}


async def test_the_step_before_fills_the_place_that_is_open() -> None:
    value = session_value([1, 2], step=1, kind="list")
    tool = make_tool("total", parameters={"xs": LIST})
    bound = await bind("add up", tool, made=(value,), after=("1",))
    assert bound.values == {"xs": [1, 2]}
    assert bound.sources == {"xs": DeclaredSource(FromStep(1))}


@pytest.mark.parametrize(
    ("parameters", "value", "values", "asked"),
    [
        ({"n": NUMBER}, 5, {"n": 5}, ""),
        ({"n": {"type": "integer"}}, 5, {"n": 5}, ""),
        ({"n": {"type": "integer"}, "t": {"type": "string"}}, 5, {}, "t"),
        ({"xs": LIST, "ys": LIST}, [1], {}, "ys"),  # much data goes to the first that takes it
        ({"t": {"type": "string"}}, 5, {}, "t"),
    ],
)
async def test_where_a_value_belongs(
    parameters: Any, value: Json, values: JsonObject, asked: str
) -> None:
    tool = make_tool("f", parameters=parameters)
    kept = session_value(value, kind="list" if isinstance(value, list) else "number")
    bound = await bind("go on", tool, made=(kept,), after=("1",), said=("{}", "{}"))
    assert bound.values == values
    assert (bound.question.parameter if bound.question else "") == asked


async def test_two_places_for_a_number_leave_it_to_the_words() -> None:
    tool = make_tool("add", parameters={"a": NUMBER, "b": NUMBER})
    bound = await bind(
        "go on", tool, made=(session_value(5),), after=("1",), said=('{"a": 5, "b": 5}',) * 2
    )
    assert not bound.certain or bound.question is not None or bound.problem


async def test_a_value_that_nobody_gave_is_asked_for() -> None:
    schema: JsonObject = {"type": "number", "description": "The number to double."}
    tool = make_tool(parameters={"the_number": schema})
    bound = await bind("double", tool, said=('{"the_number": 77}', '{"the_number": 77}'))
    assert bound.values == {}
    assert bound.question == Question(
        QuestionKind.MISSING,
        "What should the number be (The number to double)?",
        parameter="the_number",
    )


async def test_a_model_reads_what_the_words_leave_open() -> None:
    tool = make_tool(
        "greet", parameters={"name": {"type": "string"}, "language": {"type": "string"}},
        returns="string",
    )  # fmt: skip
    bound = await bind("greet Ada in French", tool, said=('{"name": "Ada", "language": "French"}',))
    assert bound.values == {"name": "Ada", "language": "French"}
    assert bound.sources == {"name": FROM_WORDS, "language": FROM_WORDS}


async def test_data_of_the_call_before_is_used_again() -> None:
    tool = make_tool("total", parameters={"xs": LIST})
    bound = await bind("and now the sum", tool, data={"numbers": [4, 5]})
    assert bound.values == {"xs": [4, 5]}
    assert bound.sources == {"xs": FROM_WORDS}


async def test_an_earlier_request_in_the_same_words_shows_where_the_values_stand() -> None:
    tool = make_tool(
        "greet", parameters={"name": {"type": "string"}, "language": {"type": "string"}},
        returns="string",
    )  # fmt: skip
    earlier: JsonObject = {"name": "Ada", "language": "French"}
    known = [("greet Ada in French", earlier)]
    bound = await bind("greet Grace in Danish", tool, earlier=known)
    assert (bound.values, bound.certain) == ({"name": "Grace", "language": "Danish"}, True)
    said = ('{"name": "Grace", "language": "Danish"}',)
    read = await bind("say hello to Grace in Danish", tool, said=said, earlier=known)
    assert read.values == bound.values


WHOLE: JsonObject = {"type": "integer"}


@pytest.mark.parametrize(("schema", "value"), [(WHOLE, 106), (NUMBER, 106.0)])
async def test_a_whole_number_is_given_as_one_where_nothing_else_is_taken(
    schema: JsonObject, value: float
) -> None:
    roman = make_tool("to_roman", parameters={"n": schema})
    bound = await bind("write that in Roman numerals", roman, made=(session_value(106.0),))
    assert bound.values == {"n": value}
    assert type(bound.values["n"]) is type(value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("double 5", {"n": 5}),
        ("double it", None),  # nothing to call it with
        ("double 5 and 7", None),  # which one?
    ],
)
def test_by_words_alone_no_model_is_asked(text: str, values: JsonObject | None) -> None:
    models = cast(Any, Models())  # a model that refuses
    given = ArgumentSources(PlanStep("9", text), (), (), {}, {})
    bound = Binder(models, models, models).by_words(make_run(text), make_tool(), given)
    assert (None if bound is None else bound.values) == values
    assert bound is None or bound.certain


def test_by_words_alone_what_a_step_gave_is_taken_and_what_may_be_left_out_is() -> None:
    spread = make_tool("spread", parameters={"numbers": LIST, "n": NUMBER})
    optional = dict(spread.version.spec.parameters) | {"required": ["numbers"]}
    spec = replace(spread.version.spec, parameters=optional)
    spread = replace(spread, version=replace(spread.version, spec=spec))
    models = cast(Any, Models())
    step = PlanStep("9", "how far do they spread", after=("1",))
    made = session_value([1.0, 2.0])
    given = ArgumentSources(step, (), (made,), {"1": replace(done([1.0, 2.0]), value=made)}, {})
    bound = Binder(models, models, models).by_words(make_run(step.text), spread, given)
    assert bound is not None
    assert bound.values == {"numbers": [1.0, 2.0]}
