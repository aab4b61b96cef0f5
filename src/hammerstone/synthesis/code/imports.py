"""Imports that code forgot: a small model often writes right code and no import for it."""

import ast
import builtins
from collections.abc import Iterable, Iterator

_MODULES = (
    "base64 bisect calendar collections copy csv datetime decimal fractions functools hashlib "
    "heapq html io itertools json math operator random re statistics string textwrap "
    "unicodedata uuid zlib"
)
_NAMES = {
    "bisect": "bisect_left bisect_right insort",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "datetime": "date timedelta timezone",
    "decimal": "Decimal ROUND_HALF_EVEN ROUND_HALF_UP",
    "fractions": "Fraction",
    "functools": "cache cmp_to_key lru_cache partial reduce",
    "heapq": "heapify heappop heappush nlargest nsmallest",
    "itertools": "accumulate chain combinations combinations_with_replacement count cycle groupby "
    "islice pairwise permutations product zip_longest",
    "math": "ceil cos factorial floor gcd isclose isqrt log10 log2 pi radians sin sqrt",
    "statistics": "mean median mode pstdev stdev variance",
    "typing": "Any Callable Dict Iterable Iterator List Optional Sequence Set Tuple Union",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
_PLAIN = frozenset(_MODULES.split())
_SHORT = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot"}
_IN_DATETIME = frozenset({"date", "datetime", "time", "timedelta", "timezone", "UTC"})


def missing_imports(statements: Iterable[ast.stmt]) -> list[str]:
    """The import lines for unbound names, where one reading is likely."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    used = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    lines: list[str] = []
    for name in sorted(used.difference(_bound(nodes))):
        if name == "datetime" and not _as_module(nodes):
            lines.append("from datetime import datetime")
        elif name in _PLAIN:
            lines.append(f"import {name}")
        elif name in _SHORT:
            lines.append(f"import {_SHORT[name]} as {name}")
        elif name in _HOMES:
            lines.append(f"from {_HOMES[name]} import {name}")
    return lines


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names that are bound somewhere: what is bound in another place is no import's job."""
    yield from dir(builtins)
    for node in nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
            case ast.ExceptHandler(name=str() as name):
                yield name
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name
            case ast.MatchMapping(rest=str() as name):
                yield name
            case _:
                pass


def _as_module(nodes: Iterable[ast.AST]) -> bool:
    """Whether the code says `datetime.datetime` or the like."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "datetime"
        and node.attr in _IN_DATETIME
        for node in nodes
    )
