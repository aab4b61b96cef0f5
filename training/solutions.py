"""Solutions judged: run, right for the request, general, in the form the product asks for.

`run_plain` runs generated code in a process of its own with limits and nothing else around it. It
is for a machine that is thrown away and has no network; everywhere else the product's sandbox
does it (`training/sandboxed.py`).
"""

import ast
import datetime
import json
import math
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hammerstone.run.solve.program import has_function, read_reply
from training.expressions import is_expression

Run = Callable[[str, str, Sequence[str]], list[Any]]  # code, function, calls to values or None
CPU_S, WALL_S, MEMORY = 4, 6.0, 2 << 30
_LARGEST = 100_000
_COMMON = {0, 1, 2, 3, 4, 5, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000}
_YES, _NO = {"yes", "true"}, {"no", "false"}


def run_plain(code: str, _function: str, calls: Sequence[str]) -> list[Any]:
    """The values of several calls of one module, in a forked process."""

    def work() -> list[Any]:
        names: dict[str, Any] = {"__name__": "solution"}
        exec(compile(code, "solution", "exec"), names)
        return [_value(lambda one=call: eval(one, names)) for call in calls]

    return forked(work, len(calls))


def run_function(function: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """The values of a function that is ours for values that are not; None where it fails."""
    return forked(
        lambda: [_value(lambda given=one: function(*given)) for one in arguments], len(arguments)
    )


def forked(work: Callable[[], list[Any]], count: int) -> list[Any]:
    """What `work` gives in a process of its own with limits; nothing where it does not end."""
    into, out = os.pipe()
    child = os.fork()
    if not child:
        os.close(into)
        _inside(out, work)
    os.close(out)
    pieces, end = list[bytes](), time.monotonic() + WALL_S
    while (left := end - time.monotonic()) > 0:
        if not select.select([into], [], [], left)[0]:
            break
        piece = os.read(into, 65536)
        if not piece:
            break
        pieces.append(piece)
    os.close(into)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        values = json.loads(b"".join(pieces))
    except ValueError:
        return [None] * count
    return values if isinstance(values, list) else [None] * count


def _inside(out: int, work: Callable[[], list[Any]]) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        quiet = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(quiet, descriptor)
        os.chdir("/tmp")
        os.write(out, json.dumps(work()).encode())
    except BaseException:
        os._exit(1)
    os._exit(0)


def _value(make: Callable[[], Any]) -> Any:
    try:
        value = as_json(make())
    except Exception:
        return None
    return value if len(json.dumps(value)) <= _LARGEST else None


def as_json(value: Any) -> Any:
    """A value as JSON holds it; texts for what JSON has no form for."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal | Fraction):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((as_json(one) for one in value), key=repr)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    if isinstance(value, Iterable):
        return [as_json(one) for one in value]
    return as_json(value.item()) if hasattr(value, "item") else str(value)


def is_right(got: Any, want: Any) -> bool:
    """Whether a value of a made need is what its program gives; strict but for its form."""
    if got is None:
        return False
    if isinstance(want, bool):
        text = str(got).strip().lower().rstrip(".")
        return got is want if isinstance(got, bool) else text in (_YES if want else _NO)
    if isinstance(want, int | float):
        return _is_number(got, want)
    if isinstance(want, str):
        return str(got).strip().lower() == want.lower()
    if isinstance(want, list):
        whole = isinstance(got, list) and len(got) == len(want)
        return whole and all(is_right(g, w) for g, w in zip(got, want, strict=True))
    same = isinstance(got, dict) and set(got) == set(want)
    return same and all(is_right(got[key], want[key]) for key in want)


def _is_number(got: Any, want: float) -> bool:
    if isinstance(got, str):
        try:
            got = float(got.replace(",", "").strip())
        except ValueError:
            return False
    if isinstance(got, bool) or not isinstance(got, int | float):
        return False
    decimals = len(f"{want:.6f}".rstrip("0").split(".")[1])
    near = {0: 0.0051 if isinstance(want, float) else 1e-9, 1: 0.051}.get(decimals, 0.0051)
    return abs(got - want) <= near


def crude(value: Any) -> str:
    """A value as a text that is the same for what is nearly the same."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{round(float(value), 4):.6g}"
    return " ".join(str(value).lower().split())


@dataclass(frozen=True, slots=True)
class Judged:
    """One reply: whether its value is right, whether it is general, and its form is kept."""

    right: bool
    general: bool
    well_formed: bool
    shape: str
    value: Any = None
    score: float | None = None  # where being right has degrees: the share that is right

    @property
    def kept(self) -> bool:
        return self.right and self.general and self.well_formed


_WRONG = Judged(False, False, False, "")


def judge(row: Mapping[str, Any], text: str, run: Run, checker: Callable[..., bool]) -> Judged:
    """One reply to a row; `checker` is `is_right(row, value)` of the public sets."""
    program = read_reply(text)
    if row["check"] == "kind":
        right = program.solution is None and str(program.kind) == row["want"]
        return Judged(right, right, _fenced(text), str(program.kind))
    solution = program.solution
    if solution is None or solution.error:
        return _WRONG
    others = row.get("others", [])
    calls = [moved_call(solution.call, row["values"], one["values"]) for one in others]
    moved = [(call, one["want"]) for call, one in zip(calls, others, strict=True) if call]
    calls = [solution.call, *(call for call, _ in moved)]
    values = run(solution.code, solution.function, calls)
    made = row["check"] == "value"
    right = is_right(values[0], row["want"]) if made else checker(row, values[0])
    if not right:
        return Judged(False, False, False, "", values[0])
    if moved:
        general = all(is_right(got, want) for got, (_, want) in zip(values[1:], moved, strict=True))
    else:
        general = takes_its_values(solution.code, solution.call, row)
    general = general and has_function(solution) and "()" not in solution.call[-2:]
    general = general or is_expression(row["q"])
    return Judged(True, general, _well_formed(text), _shape(text), values[0])


def _fenced(text: str) -> bool:
    text = text.strip()
    return text.startswith("```python\n") and text.endswith("```") and text.count("```") == 2


def _well_formed(text: str) -> bool:
    """One block: comments that reason, a function, the call as its last line."""
    lines = text.strip().split("\n")
    reasons = [line for line in lines[1:8] if line.startswith("#")]
    return _fenced(text) and len(reasons) >= 2 and lines[-2].startswith("answer = ")


def _shape(text: str) -> str:
    """A program without its comments and layout."""
    source = text.strip().removeprefix("```python").removesuffix("```")
    try:
        return ast.unparse(ast.parse(source))
    except (SyntaxError, ValueError):
        return source


def moved_call(call: str, values: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """The call with other values in the place of the request's; empty where it holds none."""
    try:
        tree = ast.parse(call, mode="eval")
    except SyntaxError:
        return ""
    mover = _Mover(values, others)
    moved = mover.visit(tree)
    return ast.unparse(moved) if mover.open != set(values) else ""


class _Mover(ast.NodeTransformer):
    """Puts other values in the place of equal literals, each value once if it can be."""

    def __init__(self, values: Mapping[str, Any], others: Mapping[str, Any]) -> None:
        self._values, self._others = values, others
        self.open = set(values)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            found = self._other(node)
            if found is not None:
                return found
        return self.generic_visit(node)

    def _other(self, node: ast.expr) -> ast.expr | None:
        moved = self._date(node)
        if moved is not None:
            return moved
        try:
            literal = as_json(ast.literal_eval(node))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        name = self._name_of(lambda value: type(literal) is type(value) and literal == value) or (
            self._name_of(lambda value: _equal_numbers(literal, value))
        )
        return None if name is None else _node(self._others[name])

    def _name_of(self, fits: Callable[[Any], bool]) -> str | None:
        names = [name for name in self._values if fits(self._values[name])]
        name = next((one for one in names if one in self.open), names[0] if names else None)
        if name is not None:
            self.open.discard(name)
        return name

    def _date(self, node: ast.expr) -> ast.expr | None:
        """`date(2024, 3, 1)` for a value 2024-03-01."""
        if not isinstance(node, ast.Call) or len(node.args) != 3 or node.keywords:
            return None
        try:
            text = datetime.date(*(ast.literal_eval(one) for one in node.args)).isoformat()
        except (ValueError, TypeError, SyntaxError):
            return None
        name = self._name_of(lambda value: value == text)
        if name is None:
            return None
        year, month, day = (int(part) for part in self._others[name].split("-"))
        return ast.Call(node.func, [ast.Constant(one) for one in (year, month, day)], [])


def _equal_numbers(left: Any, right: Any) -> bool:
    plain = (int, float)
    numbers = type(left) in plain and type(right) in plain
    return numbers and left == right


def _node(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def takes_its_values(code: str, call: str, row: Mapping[str, Any]) -> bool:
    """Whether the function is given the request's numbers rather than holding them itself."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return False
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    inside = {
        node.value
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    }
    asked = set[float]()
    for piece in row["q"].replace(",", "").replace("$", " ").replace("%", " ").split():
        try:
            asked.add(float(piece.strip(".?!;:()[]")))
        except ValueError:
            continue
    return not any(one in asked and one not in _COMMON for one in inside)
