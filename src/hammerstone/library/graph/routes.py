"""The parts of a result that could be handed on: the whole, a property, the items of a list."""

from collections.abc import Iterator
from dataclasses import dataclass

from hammerstone.library.graph.values.shapes import Shape

MAX_ROUTES = 30
DEPTH = 3
EACH = "*"  # stands for every item of a list


@dataclass(frozen=True, slots=True)
class Route:
    """Where a part lies in a result, and its shape. `fans_out` when it is each item of a list."""

    path: tuple[str, ...]
    shape: Shape

    @property
    def fans_out(self) -> bool:
        return EACH in self.path

    def __str__(self) -> str:
        return ".".join(self.path)


def routes(shape: Shape) -> list[Route]:
    """The whole first, then its parts, nearest first."""
    found: list[Route] = []
    waiting = [Route((), shape)]
    while waiting and len(found) < MAX_ROUTES:
        route = waiting.pop(0)
        found.append(route)
        if len(route.path) < DEPTH:
            waiting.extend(_inside(route))
    return found


def _inside(route: Route) -> Iterator[Route]:
    shape = route.shape
    for option in shape.options:
        yield from _inside(Route(route.path, option))
    for name, part in shape.fields:
        yield Route((*route.path, name), part)
    # Items of items would call a tool for every cell; people mean rows.
    if shape.items is not None and EACH not in route.path:
        yield Route((*route.path, EACH), shape.items)
