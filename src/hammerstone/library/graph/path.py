"""A way through the graph, told hop by hop: from what somebody has to what somebody wants."""

from dataclasses import dataclass
from typing import ClassVar

from hammerstone.core.dataflow import FromRequest, FromStep, needed_steps
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.graph.edges import Edge
from hammerstone.library.graph.matching import MatchLevel
from hammerstone.library.graph.shapes import (
    FILE,
    Shape,
    shape_of_schema,
    shape_of_value,
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One argument of a hop: its source, and how well that matches the parameter.

    The source is something at hand, by its name, or the result of an earlier hop, by its number
    (the first is 1). Without either, the request has to say it.
    """

    parameter: str
    source: FromStep[int] | FromRequest
    level: MatchLevel = MatchLevel.NO
    why: str = ""

    @property
    def have(self) -> str:
        """The name of the thing at hand; empty for another source."""
        return self.source.name if isinstance(self.source, FromRequest) else ""

    @property
    def step(self) -> int | None:
        """The number of the earlier hop; None for another source."""
        return self.source.step if isinstance(self.source, FromStep) else None

    @property
    def missing(self) -> bool:
        return not self.have and self.step is None

    def __str__(self) -> str:
        if self.missing:
            return f"{self.parameter}: to be said"
        where = self.have or f"step {self.step}"
        path = self.source.path
        part = f" at {'.'.join(map(str, path))}" if path else ""
        changed = ", converted" if self.level is MatchLevel.CONVERTIBLE else ""
        return f"{self.parameter} from {where}{part} ({self.why}{changed})"

    def to_json(self) -> JsonObject:
        return {
            "parameter": self.parameter,
            "have": self.have or None,
            "step": self.step,
            "path": list(self.source.path),
            "level": None if self.missing else str(self.level),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Hop:
    """One tool of a path and its arguments. `learned` is the edge that led here, if one did."""

    tool: str
    bindings: tuple[Binding, ...]
    learned: Edge | None = None
    fans_out: bool = False
    status: str = ""

    @property
    def explanation(self) -> str:
        parts = [f"{self.tool}: {'; '.join(str(each) for each in self.bindings) or 'no arguments'}"]
        if self.learned is not None:
            edge = self.learned
            parts.append(
                f"seen {edge.count} times after {edge.source}, "
                f"{edge.successes} of them well, {edge.mean_s:.2f} s"
            )
        elif needed_steps(each.source for each in self.bindings):
            parts.append("the types fit, but nobody has done it yet")
        if self.fans_out:
            parts.append("once for each item")
        if self.status in ("experimental", "deprecated"):
            parts.append(self.status)
        return "; ".join(parts)

    def to_json(self) -> JsonObject:
        return {
            "tool": self.tool,
            "bindings": [each.to_json() for each in self.bindings],
            "learned": self.learned.to_json() if self.learned else None,
            "fans_out": self.fans_out,
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True)
class Path:
    """Tools in order, from what is at hand to what is wanted. `score` is 0 to 1."""

    hops: tuple[Hop, ...]
    score: float
    want: str

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(hop.tool for hop in self.hops)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Tool and parameter of every argument that the request still has to give."""
        return tuple((h.tool, b.parameter) for h in self.hops for b in h.bindings if b.missing)

    @property
    def learned(self) -> int:
        """How many hops real runs made before."""
        return sum(hop.learned is not None for hop in self.hops)

    @property
    def explanation(self) -> str:
        if not self.hops:
            return f"nothing to do: {self.want} is at hand"
        lines = [f"{n}. {hop.explanation}" for n, hop in enumerate(self.hops, 1)]
        return "\n".join([f"to {self.want}:", *lines])

    def to_json(self) -> JsonObject:
        return {
            "tools": list(self.tools),
            "score": round(self.score, 4),
            "hops": [hop.to_json() for hop in self.hops],
            "missing": [{"tool": tool, "parameter": name} for tool, name in self.missing],
            "learned_hops": self.learned,
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True)
class Have:
    """Something at hand: a value, a type, a file, or what a tool returned."""

    name: str
    shape: Shape
    tool: str = ""  # whose result it is; edges learned from that tool count

    @classmethod
    def value(cls, name: str, value: Json) -> "Have":
        return cls(name, shape_of_value(value, name))

    @classmethod
    def type(cls, name: str, schema: Json) -> "Have":
        return cls(name, shape_of_schema(schema, name))

    @classmethod
    def file(cls, name: str) -> "Have":
        return cls(name, FILE)

    @classmethod
    def result(cls, tool: str, shape: Shape | None = None) -> "Have":
        """What `tool` returned; its declared type unless the value's own shape is given."""
        return cls(f"result of {tool}", shape or Shape("any"), tool)


@dataclass(frozen=True, slots=True)
class Want:
    """The end that a path has to reach: a tool's result, a type, or what a description names."""

    tool: str = ""
    shape: Shape | None = None
    text: str = ""

    @classmethod
    def result_of(cls, tool: str) -> "Want":
        return cls(tool=tool)

    @classmethod
    def type(cls, schema: Json, name: str = "") -> "Want":
        return cls(shape=shape_of_schema(schema, name))

    @classmethod
    def described(cls, text: str) -> "Want":
        return cls(text=text)

    def __str__(self) -> str:
        if self.tool:
            return f"the result of {self.tool}"
        return str(self.shape) if self.shape is not None else f'"{self.text}"'


@dataclass(frozen=True, slots=True)
class GraphPolicy:
    """How far a way from tool to tool may go; a step that only the types allow costs 1."""

    name: ClassVar[str] = "graph"
    max_hops: int = 4
    whole_up_to: int = 50_000  # tools; of a larger library only those that were used in a row
    beam: int = 12  # predecessors tried for each tool
    weakest_link: float = 0.35  # affinity under which types alone do not link two tools
    spread: float = 1.5  # how much more than the best path another may cost
    goals: int = 24  # tools tried when a type or a description is wanted
    expansions: int = 600
    seconds: float = 0.25
    missing_cost: float = 0.35  # an argument that the request has to give
    experimental_cost: float = 0.5
    deprecated_cost: float = 0.8
