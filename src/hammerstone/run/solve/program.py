"""A reply of a model as a program: the module, and the expression that answers the request."""

import ast
import re
from dataclasses import dataclass

from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import Solution
from hammerstone.core.syntax import syntax_tree
from hammerstone.synthesis.code.imports import missing_imports

ANSWER = "answer"
_FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_CUTS = 12  # lines that a reply cut off at its end may lose
_NO_FUNCTION = "answer_value"


@dataclass(frozen=True, slots=True)
class ReplyProgram:
    """What a reply holds: a solution that has not run yet, or a kind that needs no program."""

    solution: Solution | None
    kind: RequestKind = RequestKind.CALCULATION
    text: str = ""  # the reply itself, for showing an error to its author


def read_reply(text: str) -> ReplyProgram:
    """The program in a reply; one without an answer is a solution with an error."""
    source = _source(text)
    tree = _parsed(source)
    if tree is None:
        return ReplyProgram(Solution(source, "", "", error="the code cannot be read"), text=text)
    if kind := _kind(source):
        return ReplyProgram(None, kind, text)
    place = _answer_place(tree)
    if place is None:
        return ReplyProgram(Solution(source, "", "", error="it sets no answer"), text=text)
    statement = tree.body[place]
    expression = _expression(statement)
    gone = [statement, *_users(_names_set(statement), tree.body[place + 1 :])]
    rest = [node for node in tree.body if node not in gone]
    code = _without(source.split("\n"), gone)
    missing = missing_imports(tree.body)
    if missing:
        code = "\n".join([*missing, code])
    expression = _Literal(_constants(rest)).visit(expression)
    call = ast.unparse(expression)
    function = _called(expression, rest)
    if not function:
        code = f"{code.rstrip()}\n\n\ndef {_NO_FUNCTION}():\n    return {call}\n"
        function, call = _NO_FUNCTION, f"{_NO_FUNCTION}()"
    return ReplyProgram(Solution(code.strip("\n") + "\n", function, call), text=text)


def is_whole(text: str) -> bool:
    """Whether a reply that is still being written holds a complete block already."""
    return text.count("```") >= 2


def has_function(solution: Solution) -> bool:
    """Whether a solution holds a function of its own, which could become a tool."""
    return bool(solution.function) and solution.function != _NO_FUNCTION


def _source(text: str) -> str:
    blocks = _FENCE.findall(text)
    joined = "\n".join(block.strip("\n") for block in blocks) if blocks else text.strip("\n")
    return joined if _parses(joined) or not blocks else _uncut(blocks[0].strip("\n"))


def _uncut(source: str) -> str:
    """The source without the last lines of a reply that was cut off."""
    lines = source.split("\n")
    for cut in range(min(_CUTS, len(lines))):
        part = "\n".join(lines[: len(lines) - cut])
        if _parses(part):
            return part
    return source


def _parses(source: str) -> bool:
    return _parsed(source) is not None


def _parsed(source: str) -> ast.Module | None:
    try:
        return syntax_tree(source)
    except _UNREADABLE:
        return None


def _kind(source: str) -> RequestKind | None:
    """The kind that the first line of a reply names; what follows then is a guess."""
    first = source.lstrip("\n").partition("\n")[0]
    said = first.strip("# .\t").lower() if first.startswith("#") else ""
    return next((kind for kind in RequestKind if str(kind) == said), None)


def _answer_place(tree: ast.Module) -> int | None:
    """Where the answer is set; without such a line, the last value that is shown or named."""
    for place in range(len(tree.body) - 1, -1, -1):
        if ANSWER in _names_set(tree.body[place]):
            return place
    last = len(tree.body) - 1
    if last < 0:
        return None
    node = tree.body[last]
    shows = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return last if shows or _names_set(node) else None


def _names_set(node: ast.stmt) -> list[str]:
    """The names that an assignment gives a value to."""
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target] if node.value is not None else []
    else:
        targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _expression(statement: ast.stmt) -> ast.expr:
    value = getattr(statement, "value", None)
    assert isinstance(value, ast.expr)
    shows = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    if shows and value.func.id == "print" and value.args:  # type: ignore[union-attr]
        return value.args[0]  # type: ignore[union-attr]
    return value


def _called(expression: ast.expr, rest: list[ast.stmt]) -> str:
    """The module's own function that the answer calls; the last one defined when several."""
    own = [node.name for node in rest if isinstance(node, ast.FunctionDef)]
    used = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return next((name for name in reversed(own) if name in used), "")


def _users(names: list[str], later: list[ast.stmt]) -> list[ast.stmt]:
    """What runs with these names, such as `print(answer)`: it cannot without them."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        node
        for node in later
        if not isinstance(node, defined)
        and any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))
    ]


def _without(lines: list[str], statements: list[ast.stmt]) -> str:
    """The source without some statements; comments stay."""
    gone = {
        line for one in statements for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)
    }
    return "\n".join(text for number, text in enumerate(lines, 1) if number not in gone)


def _constants(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """Names that stand for one literal: `price = 3` before `answer = f(price)`."""
    values: dict[str, ast.expr] = {}
    for node in body:
        for name in _names_set(node):
            value = getattr(node, "value", None)
            if isinstance(value, ast.expr) and name not in values and _is_literal(value):
                values[name] = value
            else:
                values.pop(name, None)
    return values


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (*_UNREADABLE, TypeError):
        return False
    return True


class _Literal(ast.NodeTransformer):
    """Puts literals in the place of the names that stand for them."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)
