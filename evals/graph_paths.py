"""How long finding a path takes, by the size of the library.

    python -m evals.graph_paths [--set instant|quick|full] [--json]

Tools are made up from thirty kinds of values with names as people give them, a tenth of them
was seen after another one, and each query wants a random tool or
type from one or two values at hand. Prints p50, p95 and the slowest search in milliseconds, the
share of queries with a path, and how many ran into the time limit. The first search on a new
library also compares types; its time is printed apart.
"""

import random
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Spec
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)
from hammerstone.library.graph.edges import Edge, Flow
from hammerstone.library.graph.index import TypeIndex
from hammerstone.library.graph.nodes import GraphNode, node_of_spec
from hammerstone.library.graph.path import GraphPolicy, Have
from hammerstone.library.graph.paths import Goal, PathFinder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NUMBER, TEXT, FLAG = {"type": "number"}, {"type": "string"}, {"type": "boolean"}
KINDS: dict[str, dict[str, Any]] = {
    "price": NUMBER, "weight": NUMBER, "distance": NUMBER, "count": {"type": "integer"},
    "temperature": NUMBER, "percentage": NUMBER, "year": {"type": "integer"}, "score": NUMBER,
    "date": {"type": "string", "format": "date"}, "email": TEXT, "url": TEXT, "path": TEXT,
    "text": TEXT, "title": TEXT, "language": TEXT, "country": TEXT, "city": TEXT, "html": TEXT,
    "code": TEXT, "flag": FLAG, "numbers": {"type": "array", "items": NUMBER},
    "words": {"type": "array", "items": TEXT}, "dates": {"type": "array", "items": TEXT},
    "table": {"type": "array", "items": {"type": "object"}}, "record": {"type": "object"},
    "matrix": {"type": "array", "items": {"type": "array", "items": NUMBER}},
}  # fmt: skip
VERBS = ("find", "make", "read", "convert", "sort", "count", "check", "split", "merge", "rank")


def made_up(number: int, chance: random.Random) -> GraphNode:
    """A tool with one to four parameters; every eighth returns an object of its own."""
    names = list(KINDS)
    wanted = chance.sample(names, chance.choice((1, 1, 2, 2, 3, 4)))
    result = chance.choice(names)
    returns = dict(KINDS[result], description=f"the {result}")
    if chance.random() < 0.125:
        inside = chance.sample(names, 3)
        properties = {name: KINDS[name] for name in inside}
        returns = {"type": "object", "properties": properties, "required": inside}
    properties = {name: dict(KINDS[name], description=f"the {name}") for name in wanted}
    needed = wanted[: max(1, len(wanted) - 1)]
    verb = chance.choice(VERBS)
    return node_of_spec(
        Spec(
            f"{verb}_{result}_{number}",
            f"{verb.capitalize()} a {result} from {', '.join(wanted)}.",
            {"type": "object", "properties": properties, "required": needed},
            returns,
        )
    )


def learned(index: TypeIndex, count: int, chance: random.Random) -> list[Edge]:
    """Edges as runs would teach them: along links that types allow."""
    nodes = list(index.nodes.values())
    found: dict[tuple[str, str], Edge] = {}
    for node in chance.sample(nodes, min(count, len(nodes))):
        links = [link for port in node.ports for link in index.best_givers(node, port, 3)]
        if not links:
            continue
        link = chance.choice(links)
        times = chance.randint(1, 40)
        found[link.source, node.name] = Edge(
            link.source, node.name, times, chance.randint(times // 2, times),
            chance.random(), NOW, 0.5, (Flow(link.route.path, link.port.name, times),),
        )  # fmt: skip
    return list(found.values())


def measure(tools: int, queries: int) -> dict[str, Any]:
    chance = random.Random(tools)
    began = time.perf_counter()
    index = TypeIndex(made_up(number, chance) for number in range(tools))
    built_s = time.perf_counter() - began
    edges = learned(index, tools // 10, chance)
    finder = PathFinder(index, edges, GraphPolicy(), SystemClock())
    index._best.clear()  # what making up edges remembered would flatter the first search
    names = list(index.nodes)
    took: list[float] = []
    with_path = cut_short = hops = 0
    for _ in range(queries):
        have = [Have.type(name, KINDS[name]) for name in chance.sample(list(KINDS), 2)]
        goals = [Goal(index.nodes[name]) for name in chance.sample(names, chance.choice((1, 24)))]
        began = time.perf_counter()
        found = finder.find(have, goals, "a tool", 3)
        took.append((time.perf_counter() - began) * 1000)
        with_path += bool(found)
        hops += sum(len(path.hops) for path in found[:1])
        cut_short += finder.cut_short
    later = sorted(took[1:])
    return {
        "tools": tools,
        "learned_edges": len(edges),
        "build_ms": round(built_s * 1000, 1),
        "first_ms": round(took[0], 1),
        "p50_ms": round(later[len(later) // 2], 1),
        "p95_ms": round(later[int(len(later) * 0.95)], 1),
        "slowest_ms": round(later[-1], 1),
        "with_path": round(with_path / queries, 3),
        "mean_hops": round(hops / max(1, with_path), 2),
        "cut_short": cut_short,
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """One round for each size of the library."""
    sizes = amount(context, instant=[100, 1_000], quick=[100, 1_000], full=[100, 1_000, 10_000])
    rows = [await own_process(measure, tools=tools, queries=40) for tools in sizes]
    for row in rows:
        yield case(f"{row['tools']} tools", True, row)
    for row in rows:
        size = f"{row['tools']:,} tools"
        yield lower(f"one search, {size}, median", row["p50_ms"])
        yield lower(f"one search, {size}, p95", row["p95_ms"])
    cut_short = sum(row["cut_short"] for row in rows)
    yield lower("searches that ran into the time limit", cut_short, "count")


if __name__ == "__main__":
    measured("graph_paths")
