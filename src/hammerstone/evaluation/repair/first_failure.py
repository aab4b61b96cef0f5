"""The first call of a test script that a program gets wrong, with the value it should give.

The script runs in the sandbox with the program. Each assert is preceded by a note of what it
expects, and the function is handed to the script inside a wrapper that remembers its last call.
"""

import ast
from dataclasses import dataclass

from hammerstone.core.calls import Call, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.judging.equality import decoded
from hammerstone.judging.rendering import joined_call, source_of

_DRIVER = """

def hammerstone_first_failure():
    import copy, signal

    class TooLong(BaseException):
        pass

    def stop(_number, _frame):
        raise TooLong

    called = []

    def watched(*args, **kwargs):
        called[:] = [copy.deepcopy(args), copy.deepcopy(kwargs)]
        result = {entry}(*args, **kwargs)
        called.append(repr(result)[:200])
        return result

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 4.0)
    try:
        check(watched)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        note = hammerstone_notes[-1] if hammerstone_notes else ["", None]
        try:
            expected = [note[1]()] if note[1] else []
        except BaseException:
            expected = []
        kind = "timeout" if isinstance(error, TooLong) else type(error).__name__
        return [list(called), expected, note[0], kind, str(error)[:300]]
    signal.setitimer(signal.ITIMER_REAL, 0)
    return None
"""

_ALL = """

def hammerstone_held_all():
    try:
        check({entry})
    except BaseException:
        pass
    return hammerstone_held
"""


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """`call` is an expression; `expected` holds one value in wire form, or none is known."""

    call: str
    expected: tuple[Json, ...]
    instead: str  # what the program did, in words


async def first_failure(
    program: str, entry: str, test: str, sandbox: Sandbox
) -> FirstFailure | None:
    """What `test` (which defines `check`) complains about first; None when nothing fails."""
    script = _noted(test, entry)
    code = f"{program}\nhammerstone_notes = []\n{script}\n{_DRIVER.format(entry=entry)}"
    outcome = await sandbox.call(Program(code, "hammerstone_first_failure"), Call())
    found = outcome.value
    if not isinstance(found, list) or len(found) != 5:
        return None
    called, expected, _, kind, error = found
    if not isinstance(called, list) or len(called) < 2 or not isinstance(expected, list):
        return None
    source = _call_source(entry, called[0], called[1])
    if len(called) > 2:
        instead = f"returns `{called[2]}`"
    else:
        instead = "does not end" if kind == "timeout" else f"raises {kind}: {error}"
    return FirstFailure(source, tuple(expected), instead) if source else None


async def asserted(program: str, entry: str, test: str, sandbox: Sandbox) -> dict[str, bool]:
    """Each assert of `test` by its text, and whether it held every time it was reached."""
    script = _noted(test, entry, tolerant=True)
    code = f"{program}\nhammerstone_held = {{}}\n{script}\n{_ALL.format(entry=entry)}"
    outcome = await sandbox.call(Program(code, "hammerstone_held_all"), Call())
    held = outcome.value
    return {k: v is True for k, v in held.items()} if isinstance(held, dict) else {}


def _call_source(entry: str, args: Json, kwargs: Json) -> str:
    named = {str(name): source_of(value) for name, value in decoded(kwargs).items()}
    return joined_call(entry, map(source_of, decoded(args)), named) or ""


def _noted(test: str, entry: str, *, tolerant: bool = False) -> str:
    """The script without its own call of `check`, each assert preceded by a note.

    Tolerant, each assert becomes a note of whether it held, and the script goes on.
    """
    tree = ast.parse(test)
    check = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "check"]
    if not check:
        return test
    parameter = check[0].args.args[0].arg if check[0].args.args else entry
    tree.body = [n for n in tree.body if not _calls_check(n)]
    notes = _HeldAssertions() if tolerant else _Notes(parameter)
    return ast.unparse(ast.fix_missing_locations(notes.visit(tree)))


def _calls_check(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "check"
    )


class _HeldAssertions(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        text = ast.unparse(node.test)
        source = f"""try:
    hammerstone_ok = bool({text})
except Exception:
    hammerstone_ok = False
hammerstone_held[{text!r}] = hammerstone_held.get({text!r}, True) and hammerstone_ok"""
        return ast.parse(source).body


class _Notes(ast.NodeTransformer):
    def __init__(self, function: str) -> None:
        self._function = function

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        expected = self._expected(node.test)
        thunk = f"lambda: {ast.unparse(expected)}" if expected is not None else "None"
        note = ast.parse(f"hammerstone_notes.append([{ast.unparse(node.test)!r}, {thunk}])").body
        return [*note, node]

    def _expected(self, test: ast.expr) -> ast.expr | None:
        if self._is_call(test):
            return ast.Constant(True)
        if isinstance(test, ast.UnaryOp) and self._is_call(test.operand):
            return ast.Constant(False)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        left, right = _unwrapped(test.left, test.comparators[0])
        if isinstance(test.ops[0], ast.Eq | ast.Is):
            if self._is_call(left):
                return right
            return left if self._is_call(right) else None
        # abs(f(x) - v) < tolerance
        if isinstance(test.ops[0], ast.Lt | ast.LtE) and isinstance(left, ast.Call) and left.args:
            inner = left.args[0]
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                if self._is_call(inner.left):
                    return inner.right
                return inner.left if self._is_call(inner.right) else None
        return None

    def _is_call(self, node: ast.expr) -> bool:
        """Whether the side is the call itself and nothing around it."""
        name = node.func if isinstance(node, ast.Call) else None
        return isinstance(name, ast.Name) and name.id == self._function


def _unwrapped(left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Both sides without a call, such as `tuple(...)`, that is around both of them."""
    if (
        isinstance(left, ast.Call)
        and isinstance(right, ast.Call)
        and ast.unparse(left.func) == ast.unparse(right.func)
        and len(left.args) == len(right.args) == 1
    ):
        return left.args[0], right.args[0]
    return left, right
