"""Connectors in a request: which one is near, whether it may be asked, and what came back."""

from typing import Any, cast

import pytest

from hammerstone.connectors import ConnectorResult, Offer
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.answers import AnswerStatus, Event
from hammerstone.core.errors import BadRequest, ModelNonsense
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Effect, Status
from hammerstone.guard.maturity import Action, ActionKind, Permission
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.act.outside import OutsideServices, _near, as_tool
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.answer.look_up import WebLookup
from hammerstone.run.answer.prose import Prose
from hammerstone.run.context import Run
from tests.unit.run.made_runs import make_run

WEATHER = Offer("meteo.forecast", "meteo", "The weather of a town.", {"properties": {"town": {}}})
MAIL = Offer("post.send", "post", "Sends a mail to a person.", {}, Effect.WRITES)
WEB = Offer("web.search", "web", "Finds pages.", {}, web=True)


class World:
    """Connectors, a model, and somebody who gives leave."""

    def __init__(
        self,
        *offers: Offer,
        said: Any = (),
        allowed: Permission | None = None,
        gives: Any = None,
    ) -> None:
        self._offers = [*offers]
        self.model = ScriptedModel(said)
        self._allowed = allowed or Permission(True)
        self._gives = gives
        self.actions: list[Action] = []
        self.called: list[tuple[str, Any, bool]] = []
        self.told: list[Event] = []
        self.connectors = self.breakers = self

    def __bool__(self) -> bool:
        return bool(self._offers)

    @property
    def names(self) -> set[str]:
        return {offer.connector for offer in self._offers}

    @property
    def service(self) -> str:
        return "a service"

    def get(self, name: str) -> "World":
        return self

    async def offer(self, name: str) -> Offer:
        return next(offer for offer in self._offers if offer.name == name)

    async def offers(self) -> list[Offer]:
        return self._offers

    def of(self, run: Run, role: Any) -> ScriptedModel:
        return self.model

    async def request_permission(self, run: Run, action: Action) -> Permission:
        self.actions.append(action)
        return self._allowed

    async def call(self, what: str, *rest: Any, **options: Any) -> Any:
        if options:  # the breaker in front of the service
            assert what == "a service"
            self.called.append((what, options["transient"], options["again"]))
            return await rest[0]()
        self.called.append((what, rest[0], False))
        if isinstance(self._gives, Exception):
            raise self._gives
        return ConnectorResult("text", self._gives, "there")

    @property
    def outside(self) -> OutsideServices:
        me = cast(Any, self)
        return OutsideServices(me, me, me)

    def run(self, text: str = "the weather of Oslo") -> Run:
        return make_run(text, told=self.told)


@pytest.mark.parametrize(("name", "there"), [("meteo.forecast", True), ("web.search", False)])
async def test_an_operation_by_its_name(name: str, there: bool) -> None:
    assert ((await World(WEATHER).outside.find(name)) is WEATHER) is there


async def test_a_model_picks_among_those_that_are_near() -> None:
    world = World(WEATHER, MAIL, WEB, said=['{"service": "meteo.forecast"}'])
    assert await world.outside.fitting_offer(world.run(), "the weather of Oslo") is WEATHER
    (prompt,) = world.model.prompts
    assert prompt.schema is not None
    listed = cast(Any, prompt.schema)["properties"]["service"]["enum"]
    assert listed == ["meteo.forecast", "web.search", "none"]
    assert "The weather of a town." in prompt.messages[-1].text


@pytest.mark.parametrize(
    ("world", "text"),
    [
        (World(), "the weather"),
        (World(WEATHER), "add 2 and 3"),
        (World(WEATHER, said=['{"service": "none"}']), "the weather"),
        (World(WEATHER, said=[ModelNonsense("what?")]), "the weather"),
    ],
)
async def test_no_connector_gives_it(world: World, text: str) -> None:
    assert await world.outside.fitting_offer(world.run(), text) is None


def test_the_nearest_first_and_not_too_many() -> None:
    offers = [Offer(f"s.tide{n}", "s", "Tide times.", {}) for n in range(8)]
    towns = Offer("s.towns", "s", "Tide times of a town.", {})
    found = _near("tide times of the town", [*offers, towns])
    assert [offer.name for offer in found] == ["s.towns", *(f"s.tide{n}" for n in range(5))]
    assert _near("tide", [WEB, WEATHER]) == [WEB]


@pytest.mark.parametrize(
    ("offer", "kind", "again"),
    [
        (WEATHER, ActionKind.CONNECTOR, True),
        (WEB, ActionKind.WEB, True),
        (MAIL, ActionKind.CONNECTOR, False),
    ],
)
async def test_a_service_is_asked_with_leave(offer: Offer, kind: ActionKind, again: bool) -> None:
    world = World(offer, gives=[1])
    run = world.run()
    reached = await world.outside.reach(run, offer, {"to": "x"})
    assert reached == CallExecution([1])
    (action,) = world.actions
    assert (action.kind, action.tool, action.arguments, action.effect) == (
        kind, offer.name, {"to": "x"}, offer.effect,
    )  # fmt: skip
    assert (action.reversible, action.preview) == (again, offer.description)
    assert world.called == [
        ("a service", (ServiceDown,), again),
        (offer.name, {"to": "x"}, False),
    ]
    assert run.ledger.wrote == ([] if again else ['post.send({"to": "x"})'])
    assert run.budget.steps == 1
    assert [event.text for event in world.told] == [f"asking {offer.name}"]


async def test_without_leave_nothing_is_asked() -> None:
    world = World(WEATHER, allowed=Permission(False, "ada said no"))
    reached = await world.outside.reach(world.run(), WEATHER, {})
    assert reached == "meteo.forecast was not asked: ada said no"
    assert world.called == []


@pytest.mark.parametrize("error", [ServiceDown("too slow"), BadRequest("no such town")])
async def test_a_service_that_fails_says_why(error: Exception) -> None:
    world = World(MAIL, gives=error)
    run = world.run()
    assert await world.outside.reach(run, MAIL, {}) == f"post.send: {error}"
    assert run.ledger.wrote == []


def test_an_offer_in_the_shape_of_a_tool() -> None:
    tool = as_tool(Offer("my-api.get.rows", "my-api", "Rows.", {"properties": {"n": {}}}))
    assert (tool.name, tool.version.spec.name) == ("my-api.get.rows", "my_api_get_rows")
    assert (tool.status, tool.version.code, tool.version.number) == (Status.VERIFIED, "", 0)
    assert tool.version.spec.takes.names == ("n",)
    assert tool.version.spec.effect is Effect.READS


ROWS: list[Json] = [
    {"title": f"Page {n}", "url": f"http://p{n}.example", "text": f"About {n}."} for n in range(4)
]


async def look_up(world: World, text: str = "who won?") -> Any:
    return await WebLookup(world.outside, cast(Any, world)).look_up(world.run(text))


async def test_what_was_found_is_told_with_its_sources() -> None:
    world = World(WEB, said=[" Ada won. "], gives=ROWS)
    answer = await look_up(world, "w" * 500)
    assert world.called[-1][1] == {"query": "w" * 400}
    assert answer.text == (
        "Ada won.\n(from the web, not verified)\n- Page 0 http://p0.example\n"
        "- Page 1 http://p1.example\n- Page 2 http://p2.example"
    )
    assert (answer.result, answer.status) == (ROWS, AnswerStatus.DONE)
    assert "About 3." in world.model.prompts[0].messages[-1].text


@pytest.mark.parametrize(
    ("world", "text"),
    [
        (World(WEB, gives=[]), "I looked it up, and nothing was found."),
        (World(WEB, gives=ServiceDown("too slow")), "web.search: too slow"),
    ],
)
async def test_nothing_found_is_no_answer(world: World, text: str) -> None:
    answer = await look_up(world)
    assert (answer.text, answer.status) == (text, AnswerStatus.FAILED)


async def test_without_web_search_nothing_is_looked_up() -> None:
    assert await look_up(World(WEATHER)) is None


@pytest.mark.parametrize(
    ("said", "text"),
    [(["It is ten.\n"], "10\n\nIt is ten."), ([""], "10"), ([ModelNonsense("?")], "10")],
)
async def test_sentences_come_below_the_result(said: list[Any], text: str) -> None:
    world = World(said=said)
    prose = Prose(cast(Any, world))
    assert await prose.explain(world.run("explain double 5"), 10, "1. double") == text
    assert world.told[0].text == "writing the answer"
    shown = world.model.prompts[0].messages[-1].text
    assert "1. double" in shown and "10" in shown


async def test_a_reply_is_shown_while_it_is_written() -> None:
    world = World(said=["Hello!\nHow are you?\n"])
    assert await Prose(cast(Any, world)).chat(world.run("hi")) == "Hello!\nHow are you?"
    first, *pieces = world.told
    assert first.text == "answering without a tool"
    assert "".join(event.text for event in pieces) == "Hello!\nHow are you?\n"
    assert all(event.data == {"piece": True} for event in pieces)
