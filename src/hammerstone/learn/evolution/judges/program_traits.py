"""What a program does, read from its syntax: computes, handles dates, reaches outside, or states
facts of its own that the request does not hold."""

import ast
import re
from dataclasses import dataclass

from hammerstone.core.syntax import syntax_tree
from hammerstone.guard.scan_rules import DEFAULT_RULES

_DATES = frozenset({"datetime", "calendar", "zoneinfo", "dateutil", "time"})
_MATHS = frozenset({"math", "statistics", "decimal", "fractions", "numpy", "cmath"})
_OUTSIDE = DEFAULT_RULES.modules["network"]
_OPERATIONS = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_SUMS = frozenset({"sum", "round", "divmod", "pow", "max", "min", "len"})
MANY_FACTS = 4  # own words with which also a program that works rests on what it claims to know
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SMALL = 10  # numbers up to it are in every program
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class ProgramTraits:
    """`own_facts` are words and numbers in the program that the request does not have.

    One that `works` derives its result from what it is given; one that does not only states it.
    """

    readable: bool = True
    arithmetic: bool = False
    dates: bool = False
    outside: bool = False
    works: bool = False
    own_facts: tuple[str, ...] = ()

    @property
    def states_facts(self) -> bool:
        """Whether its answer is something that it claims to know."""
        if self.dates or not self.own_facts:
            return False
        return len(self.own_facts) >= MANY_FACTS or not self.works


def read_program(source: str, request: str) -> ProgramTraits:
    """The traits of a program that was written for a request."""
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError):
        return ProgramTraits(readable=False)
    modules = _modules(tree)
    nodes = list(ast.walk(tree))
    computes = any(_computes(node) for node in nodes)
    return ProgramTraits(
        works=computes or any(isinstance(node, _LOOPS) for node in nodes),
        arithmetic=bool(modules & _MATHS) or computes,
        dates=bool(modules & _DATES) or bool({_called(node) for node in nodes} & _DATE_CALLS),
        outside=any(module in _OUTSIDE or module.split(".")[0] in _OUTSIDE for module in modules),
        own_facts=_own_facts(tree, request),
    )


_DATE_CALLS = frozenset({"date", "datetime", "timedelta", "strptime", "strftime", "weekday"})


def _modules(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found | {name.split(".")[0] for name in found}


def _computes(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        if isinstance(node.op, _OPERATIONS):
            return True
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
        return isinstance(node.op, ast.Add) and not any(_is_text(side) for side in sides)
    return _called(node) in _SUMS


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _own_facts(tree: ast.AST, request: str) -> tuple[str, ...]:
    told = {word.casefold() for word in _WORD.findall(request)}
    docstrings = {id(text) for text in _docstrings(tree)}
    used = _compared_or_kept(tree)
    numbers = {float(number) for number in _NUMBER.findall(request.replace(",", ""))}
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings or id(node) not in used:
            continue
        value = node.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value > _SMALL and float(value) not in numbers:
                found[str(value)] = None
            continue
        if not isinstance(value, str):
            continue
        for word in _WORD.findall(value):
            if not _told(word.casefold(), told):
                found[word.casefold()] = None
    return tuple(found)


def _told(word: str, told: set[str]) -> bool:
    """Whether the request has the word, in the singular or the plural."""
    return bool({word, word + "s", word.removesuffix("s"), word.removesuffix("es")} & told)


def _docstrings(tree: ast.AST) -> list[ast.Constant]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]


def _compared_or_kept(tree: ast.AST) -> set[int]:
    """Texts that stand for facts: in collections, comparisons, results and assignments; not what
    formats, splits or looks up a key of the function's own data."""
    found: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            parts = [*node.elts]
        elif isinstance(node, ast.Dict):
            parts = [*filter(None, node.keys), *node.values]
        elif isinstance(node, ast.Return) and node.value is not None:
            parts = [node.value]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Assign):
            parts = [node.value]
        elif isinstance(node, ast.Call):
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        found.update(id(part) for part in parts if isinstance(part, ast.Constant))
    return found
