"""The numbers that decide how paths are looked for."""

from dataclasses import dataclass
from typing import ClassVar


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
