"""Learning edges, keeping possible ones apart, and finding paths with reasons."""

from datetime import timedelta
from typing import Any

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.dataflow import FromRequest
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.graph import (
    GraphPolicy,
    Have,
    SkillGraph,
    Transition,
    Want,
    transitions_of,
)
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.storage import Database, Execution
from hammerstone.storage.stores.tools.tools import Tools
from tests.unit.library.graph.conftest import NOW, ROWS, add, spec


def went(number: int, source: str, target: str, **more: Any) -> Transition:
    values = {"ok": True, "seconds": 0.5, "at": NOW + timedelta(seconds=number)}
    return Transition(f"t{number}", source, target, **(values | more))


def execution(number: int, tool: str, **more: Any) -> Execution:
    values: dict[str, Any] = {
        "id": f"e{number}",
        "run_id": "run",
        "session_id": "session",
        "number": number,
        "tool": tool,
        "version_id": "v",
        "arguments": {},
        "result": 1,
        "ok": True,
        "at": NOW + timedelta(seconds=number),
        "seconds": 0.25,
    }
    return Execution(**(values | more))


async def test_observing_is_incremental_and_idempotent(graph: SkillGraph) -> None:
    first = [went(1, "read_csv", "column_values", parameter="table")]
    assert await graph.observe(first) == 1
    assert await graph.observe(first) == 0
    assert await graph.observe([*first, went(2, "read_csv", "column_values", ok=False)]) == 1
    (edge,) = await graph.edges()
    assert (edge.count, edge.successes, edge.mean_s) == (2, 1, 0.5)
    assert [(flow.parameter, flow.count) for flow in edge.flows] == [("table", 1)]


async def test_weights_grow_with_success_and_not_with_one_lucky_call(graph: SkillGraph) -> None:
    await graph.observe([went(0, "mean", "parse_date")])
    (once,) = await graph.edges()
    await graph.observe([went(n, "mean", "parse_date") for n in range(1, 30)])
    (often,) = await graph.edges()
    await graph.observe([went(n, "mean", "parse_date", ok=False) for n in range(30, 90)])
    (poor,) = await graph.edges()
    assert once.weight < 0.2 < poor.weight < often.weight < 1
    assert often.share == 1.0


async def test_each_tenant_has_weights_of_its_own(graph: SkillGraph) -> None:
    await graph.observe([went(1, "read_csv", "column_values", tenant="ada")])
    assert len(await graph.edges("ada")) == 1
    assert await graph.edges("bob") == []
    assert await graph.edges() == []


async def test_executions_become_transitions_with_their_data_flow() -> None:
    log = [
        execution(1, "read_csv"),
        execution(2, "column_values", sources={"table": {"step": 1, "path": []}, "column": "x"}),
        execution(3, "mean", sources={"values": {"step": 2, "path": ["rows", 0, "x"]}}, ok=False),
        execution(4, "parse_date", sources={"text": "request"}),
        execution(5, "week_of_date", sources={"date": {"step": 99, "path": []}}),
    ]  # fmt: skip
    found = transitions_of(log, "ada")
    flows = [(t.source, t.target, t.path, t.parameter, t.ok) for t in found]
    assert flows == [
        ("read_csv", "column_values", (), "table", True),
        ("column_values", "mean", ("rows", "0", "x"), "values", False),
        ("mean", "parse_date", (), "", True),
        ("parse_date", "week_of_date", (), "", True),
    ]
    assert {t.tenant for t in found} == {"ada"}
    assert [t.id for t in found] == [t.id for t in transitions_of(list(reversed(log)), "ada")]


async def test_a_result_of_an_earlier_run_of_the_session() -> None:
    source = {"step": 1, "path": [], "session": 7, "run": "run"}
    log = [execution(1, "read_csv"), execution(2, "mean", run_id="r2", sources={"values": source})]
    (found,) = transitions_of(log)
    assert (found.source, found.target, found.parameter) == ("read_csv", "mean", "values")


async def test_which_item_of_a_list_it_was_is_not_kept(graph: SkillGraph) -> None:
    steps = [
        went(n, "person", "mean", parameter="values", path=("rows", str(n), "x")) for n in range(3)
    ]
    await graph.observe(steps)
    (edge,) = await graph.edges()
    assert [(flow.path, flow.count) for flow in edge.flows] == [(("rows", "*", "x"), 3)]


async def test_calls_of_different_runs_do_not_follow_each_other() -> None:
    log = [execution(1, "mean"), execution(2, "parse_date", run_id="another")]
    assert transitions_of(log) == []


async def test_a_path_from_a_file_to_a_number(graph: SkillGraph) -> None:
    (best, *_) = await graph.paths([Have.file("sales.csv")], Want.result_of("mean"))
    assert best.tools == ("read_csv", "column_values", "mean")
    assert best.missing == (("column_values", "column"),)
    assert best.learned == 0
    text = best.explanation
    assert "path from sales.csv" in text
    assert "table from step 1" in text
    assert "nobody has done it yet" in text


async def test_a_learned_edge_makes_a_path_better_and_is_told(graph: SkillGraph) -> None:
    have, want = [Have.file("sales.csv")], Want.result_of("mean")
    (before, *_) = await graph.paths(have, want)
    await graph.observe(went(n, "read_csv", "column_values", parameter="table") for n in range(20))
    (after, *_) = await graph.paths(have, want)
    assert after.tools == before.tools
    assert after.score > before.score
    assert after.learned == 1
    assert "seen 20 times after read_csv, 20 of them well, 0.50 s" in after.explanation
    (others, *_) = await graph.paths(have, want, tenant="bob")
    assert others.learned == 0


async def test_what_runs_did_counts_where_types_say_no(graph: SkillGraph) -> None:
    want = Want.result_of("send_mail")
    have = [Have.type("table", ROWS)]
    assert await graph.paths(have, want) == []
    steps = [went(n, "mean", "send_mail", parameter="body", path=("x",)) for n in range(5)]
    steps += [went(n + 9, "column_values", "mean", parameter="values") for n in range(5)]
    await graph.observe(steps)
    (path, *_) = await graph.paths(have, want)
    assert path.tools == ("column_values", "mean", "send_mail")
    assert path.hops[-1].learned is not None


async def test_a_result_at_hand_starts_a_path(graph: SkillGraph) -> None:
    (path, *_) = await graph.paths([Have.result("person")], Want.result_of("send_mail"))
    assert path.tools == ("send_mail",)
    (email,) = [b for b in path.hops[0].bindings if b.parameter == "email"]
    assert email.source == FromRequest("result of person", ("email",))
    assert path.missing == (("send_mail", "body"),)


async def test_a_wanted_type_and_a_wanted_description(graph: SkillGraph) -> None:
    have = [Have.value("text", "1st of March 2024")]
    (path, *_) = await graph.paths(have, Want.type({"type": "string", "format": "date"}))
    assert path.tools == ("parse_date",)
    (path, *_) = await graph.paths(have, Want.described("ISO week of a date"))
    assert path.tools[-1] == "week_of_date"


async def test_what_is_at_hand_needs_no_path(graph: SkillGraph) -> None:
    want = Want.type({"type": "string", "format": "date"})
    (path,) = await graph.paths([Have.value("day", "2024-03-01")], want)
    assert path.hops == ()
    assert "at hand" in path.explanation


async def test_unknown_and_empty_wishes(graph: SkillGraph) -> None:
    with pytest.raises(NotFound):
        await graph.paths([], Want.result_of("nothing"))
    with pytest.raises(BadRequest):
        await graph.paths([], Want.described("  "))
    assert await graph.paths([], Want.result_of("mean")) == []
    assert await graph.paths([Have.file("a.csv")], Want.result_of("mean"), 0) == []


async def test_experimental_tools_are_the_second_choice(
    graph: SkillGraph, db: Database, search: ToolSearch
) -> None:
    again = spec("load_csv", "Read a CSV file into rows.", ROWS, path="string")
    await add(db, search, again, Status.EXPERIMENTAL)
    found = await graph.paths([Have.file("a.csv")], Want.result_of("column_values"))
    assert [path.tools[0] for path in found] == ["read_csv", "load_csv"]
    assert "experimental" in found[1].explanation


async def test_retired_tools_leave_the_graph(graph: SkillGraph, db: Database) -> None:
    await graph.observe([went(1, "read_csv", "column_values"), went(2, "mean", "parse_date")])
    assert len(await graph.edges()) == 2
    await db.tools.assess(Assessment("id-read_csv", Status.RETIRED, 0.1, {}, NOW))
    assert [edge.source for edge in await graph.edges()] == ["mean"]
    assert await graph.paths([Have.file("a.csv")], Want.result_of("column_values")) == []
    assert await graph.prune() == 1
    assert await graph.prune() == 0
    assert await graph.forget("mean") == 1


async def test_the_picture_of_the_graph(graph: SkillGraph) -> None:
    await graph.observe(
        [went(1, "read_csv", "column_values", parameter="table"), went(2, "column_values", "mean")]
    )
    whole = await graph.document()
    assert whole["total_nodes"] == 7 and not whole["truncated"]
    few = await graph.document(limit=2)
    assert len(few["nodes"]) == 2 and few["truncated"]
    near = await graph.document(around="read_csv")
    assert [node["id"] for node in near["nodes"]] == ["read_csv", "column_values"]
    assert [edge["kind"] for edge in near["edges"]] == ["learned"]
    assert near["edges"][0]["flows"] == [{"path": [], "parameter": "table", "count": 1}]
    wide = await graph.document(around="read_csv", depth=2, possible=True)
    assert {edge["kind"] for edge in wide["edges"]} == {"learned", "possible"}
    assert len(wide["nodes"]) >= 3
    tight = await graph.document(around="read_csv", limit=3, possible=True)
    for picture in (whole, few, near, wide, tight):
        shown = [node["id"] for node in picture["nodes"]]
        ends = {edge[end] for edge in picture["edges"] for end in ("source", "target")}
        assert ends <= set(shown) and len(shown) == len(set(shown))
    assert len(tight["nodes"]) == 3
    with pytest.raises(NotFound):
        await graph.document(around="nothing")


async def test_possible_edges_are_not_learned_ones(graph: SkillGraph) -> None:
    links = await graph.possible("column_values")
    assert links[0].source == "read_csv" or links[0].target == "mean"
    assert {(link.source, link.target) for link in links} >= {
        ("read_csv", "column_values"),
        ("column_values", "mean"),
    }
    assert await graph.edges() == []


async def test_of_a_large_library_the_tools_that_were_used_in_a_row_are_the_graph(
    db: Database, search: ToolSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def everything(*_: object, **__: object) -> None:
        raise AssertionError("all tools were read")

    monkeypatch.setattr(Tools, "list", everything)
    policies = Policies(db, (GraphPolicy,))
    await policies.change("graph", {"whole_up_to": 6}, who="test", why="small")
    graph = SkillGraph(db, search, policies, SystemClock())
    ways = {"have": [Have.file("/files/a.csv")], "want": Want(tool="mean")}
    assert not any(path.learned for path in await graph.paths(**ways))
    for number, (source, target) in enumerate([("read_csv", "column_values"),
                                               ("column_values", "mean")]):  # fmt: skip
        await graph.observe([went(number * 9 + n, source, target) for n in range(9)])
    (best, *_) = await graph.paths(**ways)
    assert best.tools == ("read_csv", "column_values", "mean")
    assert (await graph.document())["total_nodes"] == 3
    with pytest.raises(NotFound):
        await graph.paths([], Want(tool="nothing"))
    assert (await graph.document(around="person"))["nodes"][0]["id"] == "person"  # type: ignore[index,call-overload]
    assert await graph.prune() == 0
    await db.tools.assess(Assessment("id-mean", Status.RETIRED, 0.9, {}, NOW))
    assert await graph.prune() == 1
