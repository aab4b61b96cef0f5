"""Tools as typed nodes: what each takes, what it returns, and how it stands."""

from dataclasses import dataclass
from functools import cached_property

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Spec, Status, Tool
from hammerstone.library.graph.shapes import Route, Shape, routes, shape_of_schema
from hammerstone.library.search.text.stems import split_name, stems

# Uses and successes that a new tool is credited with, so that it is not punished for being new.
PRIOR_USES = 5.0
PRIOR_SUCCESS = 0.8
# Words that nearly every tool uses about itself: agreeing on them says nothing.
_EMPTY = frozenset(
    stems("value values result input output number text list object data given return returns")
)


@dataclass(frozen=True)
class Port:
    """One parameter of a tool."""

    name: str
    shape: Shape
    required: bool
    description: str = ""

    @cached_property
    def words(self) -> frozenset[str]:
        return _words(self.name, self.description)


@dataclass(frozen=True)
class GraphNode:
    """A tool as the graph sees it."""

    name: str
    description: str
    ports: tuple[Port, ...]
    returns: Shape
    returned: str = ""  # what the result is, in words
    status: Status = Status.VERIFIED
    effect: Effect = Effect.PURE
    uses: int = 0
    successes: int = 0

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The parts of the result that can be handed on; nothing where nothing is returned."""
        return () if self.returns.kind == "null" else tuple(routes(self.returns))

    @cached_property
    def given(self) -> frozenset[Shape]:
        """The different types among those parts."""
        return frozenset(route.shape for route in self.routes)

    @cached_property
    def words(self) -> frozenset[str]:
        """What the result is about."""
        return _words(self.name, f"{self.description} {self.returned}")

    @property
    def success(self) -> float:
        """The success rate, smoothed."""
        return (self.successes + PRIOR_USES * PRIOR_SUCCESS) / (self.uses + PRIOR_USES)

    def port(self, name: str) -> Port | None:
        return next((port for port in self.ports if port.name == name), None)

    @property
    def required(self) -> tuple[Port, ...]:
        return tuple(port for port in self.ports if port.required)

    def to_json(self) -> JsonObject:
        return {
            "id": self.name,
            "description": self.description,
            "status": str(self.status),
            "effect": str(self.effect),
            "inputs": [
                {"name": port.name, "type": str(port.shape), "required": port.required}
                for port in self.ports
            ],
            "output": str(self.returns),
            "uses": self.uses,
            "success_rate": round(self.success, 4),
        }


def node_of(tool: Tool) -> GraphNode:
    """The node that a tool of the library is."""
    return node_of_spec(tool.version.spec, tool.status, uses=tool.uses, successes=tool.successes)


def node_of_spec(
    spec: Spec, status: Status = Status.VERIFIED, *, uses: int = 0, successes: int = 0
) -> GraphNode:
    takes = spec.takes
    ports = tuple(
        Port(name, shape_of_schema(about, name), name in takes.required, _described(about))
        for name, about in takes.schemas.items()
    )
    # A result is seldom named; the tool's own name says what it is (`parse_date`).
    returned = _described(spec.returns)
    shape = shape_of_schema(spec.returns, "" if returned else spec.name)
    return GraphNode(
        name=spec.name,
        description=spec.description,
        ports=ports,
        returns=shape,
        returned=returned,
        status=status,
        effect=spec.effect,
        uses=uses,
        successes=successes,
    )


def _described(schema: JsonObject) -> str:
    return str(schema.get("description", ""))


def _words(name: str, text: str) -> frozenset[str]:
    return frozenset(stems(f"{split_name(name)} {text[:400]}")) - _EMPTY
