"""How many calls away each tool is from what is at hand, by a walk over types."""

from collections.abc import Iterable, Mapping, Sequence

from hammerstone.library.graph.edges import Edge
from hammerstone.library.graph.index import TypeIndex
from hammerstone.library.graph.path_ends import Have
from hammerstone.library.graph.routes import routes
from hammerstone.library.graph.values.shapes import Shape


def distances(
    index: TypeIndex, have: Sequence[Have], leaving: Mapping[str, Sequence[Edge]], hops: int
) -> dict[str, int]:
    """Tools that can be reached within so many calls, and after how many; 1 is at once.

    A tool counts as reached when something at hand, or the result of a reached one, fits at
    least one parameter, or when it needs none. Each type and each tool is looked at once.
    """
    found: dict[str, int] = {}
    given: set[Shape] = set()  # types looked at already, of results and of parameters
    taken: set[Shape] = set()

    def takers(shapes: Iterable[Shape]) -> set[str]:
        names: set[str] = set()
        for shape in shapes:
            if shape in given:
                continue
            given.add(shape)
            for wanted, _ in index.fitting(shape):
                if wanted not in taken:
                    taken.add(wanted)
                    names |= index.names_taking(wanted)
        return names

    frontier = {node.name for node in index.nodes.values() if not node.required}
    frontier |= takers(route.shape for each in have for route in routes(each.shape))
    for each in have:
        frontier |= {edge.target for edge in leaving.get(each.tool, ())}
    for distance in range(1, hops + 1):
        frontier = {name for name in frontier if name in index.nodes and name not in found}
        if not frontier:
            break
        found.update(dict.fromkeys(frontier, distance))
        following: set[str] = set()
        for name in frontier:
            following |= {edge.target for edge in leaving.get(name, ())}
            following |= takers(index.nodes[name].given - given)
        frontier = following
    return found
