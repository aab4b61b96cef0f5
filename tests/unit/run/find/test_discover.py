"""Which tool answers a request: the best hit, its chance, and a rival that is as good."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.errors import NotFound
from hammerstone.core.tools import Status, Tool
from hammerstone.library.graph import Have
from hammerstone.library.search import Band, Filters, Hit
from hammerstone.library.search.hits import Fit
from hammerstone.library.search.known_wordings import FoundTools
from hammerstone.run.context import EarlierStatement, Run, SeenTools
from hammerstone.run.find.discover import (
    Discovery,
    Finder,
    needs_second_look,
    takes_all,
    tell_found,
)
from hammerstone.run.find.paths import GraphPaths
from hammerstone.run.find.plan import Strategy
from hammerstone.run.solve.answer_policy import AnswerPolicy
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import make_run, make_tool


def hit(name: str, score: float = 0.9, learned: float = 0.0) -> Hit:
    return Hit(name, score, score, 0.8, 0.7, learned=learned)


class Library:
    """A search and a registry; notes what was asked."""

    def __init__(
        self, *hits: Hit, fits: tuple[Fit, ...] = (), tools: tuple[Tool, ...] = ()
    ) -> None:
        self._hits, self._fits = [*hits], [*fits] or [Fit(0.9, Band.HIGH, None)]
        names = {one.name for one in hits} | {"double"}
        self._tools = {tool.name: tool for tool in tools} or {n: make_tool(n) for n in names}
        self.asked: list[str] = []
        self.options: list[dict[str, Any]] = []
        self.to_come: list[Any] = []
        self.weights_in_force: dict[str, float] = {}
        self.known: FoundTools | None = None  # what was found for the same words before
        self.kept: list[tuple[str, str, list[str]]] = []

    async def found_before(self, text: str, tenant: str, revision: int | None) -> Any:
        self.asked.append(f"known {text} of {tenant} at {revision}")
        return self.known

    def keep_found(self, text: str, tenant: str, hits: Any, fit: Fit) -> None:
        self.kept.append((text, tenant, [hit.name for hit in hits]))

    async def get(self, name: str) -> Tool:
        if name not in self._tools:
            raise NotFound(f"there is no tool {name!r}")
        return self._tools[name]

    async def find(self, name: str, **options: Any) -> Any:
        if options:
            self.options.append(options)
            return self._hits
        self.asked.append(f"now {name}")
        return self._tools.get(name)

    async def fit(self, text: str, hits: Any, tenant: str, **options: Any) -> Fit:
        self.to_come.append(options.get("values_to_come"))
        return self._fits.pop(0) if len(self._fits) > 1 else self._fits[0]

    @property
    def finder(self) -> Finder:
        me = cast(Any, self)
        return Finder(me, me)


async def test_the_best_hit_with_its_chance() -> None:
    library = Library(hit("double"), hit("triple", 0.5), fits=(Fit(0.93, Band.HIGH, None),))
    found = await library.finder.look(make_run(), "double 5")
    assert found.tool is not None
    assert (found.tool.name, found.probability, found.band) == ("double", 0.93, Band.HIGH)
    assert [one.name for one in found.hits] == ["double", "triple"]
    assert (library.options[0]["tenant"], library.options[0]["revision"]) == ("ada", 1)


KNOWN = FoundTools.of((hit("triple"), hit("double")), Fit(0.97, Band.HIGH, None), {"high": 0.8})


async def test_words_that_are_known_well_are_not_searched_for() -> None:
    library = Library(hit("double"), hit("triple"))
    library.known, run = KNOWN, make_run()
    found = await library.finder.look(run, "double 5")
    assert found.tool is not None
    assert (found.tool.name, found.probability, found.band) == ("triple", 0.97, Band.HIGH)
    assert (found.hits, found.fit) == (KNOWN.hits, KNOWN.fit)
    assert library.options == [] and library.kept == []
    (seen,) = run.ledger.decisions
    assert (seen.text, seen.hits, seen.weights) == ("double 5", KNOWN.hits, {"high": 0.8})


async def test_what_was_found_for_plain_words_is_kept_for_them() -> None:
    library = Library(hit("double"), hit("triple"))
    await library.finder.look(make_run(), "double 5")
    assert library.asked[0] == "known double 5 of ada at 1"
    assert library.kept == [("double 5", "ada", ["double", "triple"])]


@pytest.mark.parametrize(
    "options",
    [
        {"without": frozenset({"other"})},
        {"leans": True},
        {"limit": 6},
        {"filters": Filters(names=frozenset({"double", "triple"}))},
    ],
)
async def test_what_is_looked_for_otherwise_is_searched_for(options: dict[str, Any]) -> None:
    library = Library(hit("double"), hit("triple"))
    library.known = KNOWN
    found = await library.finder.look(make_run(), "double 5", **options)
    assert found.tool is not None and found.tool.name == "double"
    assert library.kept == []


async def test_a_tool_that_is_called_by_its_name_or_was_refused_is_searched_for() -> None:
    library = Library(hit("double"), tools=(make_tool("double"), make_tool("count_words")))
    library.known = KNOWN
    found = await library.finder.look(make_run(), "count_words of this")
    assert found.tool is not None and found.tool.name == "count_words"
    run = make_run()
    run.ledger.said = EarlierStatement(tools=frozenset({"triple"}))
    found = await library.finder.look(run, "double 5")
    assert found.tool is not None and found.tool.name == "double"
    assert library.kept == []


def test_a_run_keeps_twenty_of_its_decisions() -> None:
    ledger = make_run().ledger
    for number in range(25):
        ledger.note_seen(SeenTools(str(number), (), None, {}))
    assert [seen.text for seen in ledger.decisions] == [str(number) for number in range(20)]


async def test_what_was_tried_is_left_out() -> None:
    library = Library(hit("double"), hit("triple"))
    found = await library.finder.look(make_run(), "double 5", without=frozenset({"double"}))
    assert found.tool is not None
    assert found.tool.name == "triple"
    nothing = await library.finder.look(
        make_run(), "go on", without=frozenset({"double", "triple"})
    )
    assert (nothing.tool, nothing.probability, nothing.band) == (None, 0.0, Band.LOW)


@pytest.mark.parametrize(
    ("text", "leans", "to_come"),
    [("double 5", False, False), ("double 5", True, True), ("double it", False, True)],
)
async def test_values_that_are_still_to_come(text: str, leans: bool, to_come: bool) -> None:
    library = Library(hit("double"))
    await library.finder.look(make_run(text), text, leans=leans)
    assert library.to_come == [to_come]


@pytest.mark.parametrize(
    ("tool", "band", "certain", "usable"),
    [
        (make_tool(), Band.HIGH, True, True),
        (make_tool(), Band.MIDDLE, False, True),
        (make_tool(), Band.LOW, False, False),
        (None, Band.HIGH, False, False),
    ],
)
def test_what_the_bands_mean(tool: Tool | None, band: Band, certain: bool, usable: bool) -> None:
    found = Discovery(tool, 0.9, band)
    assert (found.certain, found.usable) == (certain, usable)


async def test_a_tool_is_read_once_a_run_as_the_run_saw_it() -> None:
    library, clock = Library(), HandClock()
    finder, run = library.finder, make_run(clock=clock)
    first = await finder.known_tool(run, "double")
    assert await finder.known_tool(run, "double") is first
    assert library.asked == ["now double"]
    assert await finder.known_tool(run, "nothing") is None
    late = make_run(clock=clock)
    clock.forward(0.5)
    await finder.known_tool(late, "double")
    assert library.asked == ["now double", "now nothing", "now double"]
    with pytest.raises(NotFound):
        await finder.named(run, "nothing")
    assert await finder.named(run, "double") is first


async def test_a_tool_is_remembered_while_the_library_is_the_same() -> None:
    library, newer = Library(), make_run()
    finder, newer.seen = library.finder, replace(newer.seen, tools=2)
    first = await finder.known_tool(make_run(), "double")
    assert first is not None and await finder.known_tool(make_run(), "double") is first
    assert library.asked == ["now double"]
    await finder.known_tool(newer, "double")
    assert library.asked == ["now double", "now double"]
    for _ in range(2):
        assert await finder.known_tool(make_run(), "nothing") is None
    assert library.asked[2:] == ["now nothing", "now nothing"]


HIGH, LESS = Fit(0.90, Band.HIGH, None), Fit(0.80, Band.HIGH, None)
FOUND = (hit("double", 0.90), hit("triple", 0.89))


@pytest.mark.parametrize(
    ("hits", "fit", "band", "rival"),
    [
        (FOUND, HIGH, Band.HIGH, True),
        ((hit("double", 0.90), hit("triple", 0.87)), HIGH, Band.HIGH, False),
        ((hit("double", 0.90, 0.1), hit("triple", 0.89)), HIGH, Band.HIGH, False),
        ((hit("double", 0.90), hit("triple", 0.89, 0.1)), HIGH, Band.HIGH, True),
        (FOUND, LESS, Band.HIGH, False),
        (FOUND, Fit(0.90, Band.MIDDLE, None), Band.HIGH, False),
        (FOUND, HIGH, Band.MIDDLE, False),
        (FOUND[:1], HIGH, Band.HIGH, False),
        ((replace(FOUND[0], same_wording=True), FOUND[1]), HIGH, Band.HIGH, False),
    ],
)
async def test_a_second_tool_that_cannot_be_told_apart(
    hits: tuple[Hit, ...], fit: Fit, band: Band, rival: bool
) -> None:
    library = Library(*hits, fits=(fit,))
    found = Discovery(make_tool(), 0.92, band, hits)
    other = await library.finder.rival(make_run(), found, "double 5")
    assert (other.name if other else "") == ("triple" if rival else "")


@pytest.mark.parametrize(
    ("status", "confidence", "band", "looks"),
    [
        (Status.EXPERIMENTAL, 0.3, Band.HIGH, True),
        (Status.EXPERIMENTAL, 0.8, Band.HIGH, False),
        (Status.EXPERIMENTAL, None, Band.HIGH, False),
        (Status.VERIFIED, 0.3, Band.HIGH, False),
        (Status.VERIFIED, 0.9, Band.MIDDLE, True),
    ],
)
def test_a_doubtful_tool_is_looked_at_twice(
    status: Status, confidence: float | None, band: Band, looks: bool
) -> None:
    found = Discovery(make_tool(status=status, confidence=confidence), 0.9, band, FOUND[:1])
    assert needs_second_look(found, AnswerPolicy()) is looks
    named = replace(found, hits=(replace(FOUND[0], named=True),))
    assert needs_second_look(named, AnswerPolicy()) is (looks and band is Band.MIDDLE)


async def test_what_was_found_is_told() -> None:
    told: list[Event] = []
    run = make_run(told=told)
    await tell_found(run, Discovery(make_tool(), 0.925, Band.HIGH, (hit("other"), hit("double"))))
    (event,) = told
    assert (event.kind, event.text) == (
        EventKind.TOOL_FOUND, "found double (92% likely to fit)",
    )  # fmt: skip
    assert event.data["why"] == hit("double").explanation


@pytest.mark.parametrize(
    ("text", "all_taken"), [("double 5", True), ("double", False), ("double them", False)]
)
def test_whether_the_words_fill_every_parameter(text: str, all_taken: bool) -> None:
    assert takes_all(make_tool(), text) is all_taken


class Binding:
    def __init__(self, parameter: str, source: Any, missing: bool = False) -> None:
        self.parameter, self.source, self.missing = parameter, source, missing


class Hop:
    def __init__(self, tool: str, *bindings: Binding) -> None:
        self.tool, self.bindings = tool, bindings


class Path:
    explanation = "went before"

    def __init__(self, *hops: Hop, learned: int = 1) -> None:
        self.hops, self.learned = hops, learned


TOTAL = make_tool("total", parameters={"xs": {"type": "array"}})
WAY = Path(
    Hop("read", Binding("text", FromRequest("a b"))),
    Hop("total", Binding("xs", FromStep(1, ("rows",))), Binding("digits", None, missing=True)),
)


class Graph:
    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self.wishes: list[Any] = []

    async def paths(self, have: Any, want: Any, most: int, *, tenant: str) -> Any:
        assert (want.tool, most, tenant) == ("total", 3, "ada")
        self.wishes += have
        return self._paths

    def get(self, kind: Any) -> Any:
        return kind()

    async def plan(self, text: str = "total of 'a b'", tool: Tool = TOTAL) -> Any:
        me = cast(Any, self)
        run: Run = make_run(text)
        return await GraphPaths(me, me).by_path(run, tool, text)


async def test_a_way_that_was_gone_before_becomes_a_plan() -> None:
    graph = Graph(WAY)
    plan = await graph.plan()
    assert plan is not None
    assert (plan.strategy, plan.why) == (Strategy.COMPOSITION, "skill graph: went before")
    assert [(step.id, step.tool) for step in plan.steps] == [("1", "read"), ("2", "total")]
    assert plan.steps[0].arguments == {"text": Constant("a b")}
    assert plan.steps[1].arguments == {"xs": FromStep("1", ("rows",))}
    assert graph.wishes == [Have.value("a b", "a b")]


@pytest.mark.parametrize(
    "path",
    [
        Path(Hop("total"), learned=5),
        Path(Hop("read"), Hop("total"), learned=0),
        Path(*[Hop("read")] * 4, Hop("total"), learned=4),
    ],
)
async def test_ways_that_do_not_count(path: Path) -> None:
    assert await Graph(path).plan() is None
    assert (await Graph(path, WAY).plan()) is not None


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("total of [1, 2] and 'a b'", TOTAL),  # it has what it needs
        ("the total", TOTAL),  # nothing is at hand
        ("double 'a b'", make_tool()),  # it takes no data
    ],
)
async def test_where_no_way_is_looked_for(text: str, tool: Tool) -> None:
    graph = Graph(WAY)
    assert await graph.plan(text, tool) is None
    assert graph.wishes == []
