"""The frozen suite as a pytest file for people. It is never the verdict."""

from collections.abc import Iterable
from typing import Any, cast

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.equality import decoded

MAX_SHOWN = 400


def show(value: Json) -> str:
    """A result as Python source, shortened for reading."""
    text = source_of(decoded(value)) or repr(decoded(value))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def source_of(value: Any) -> str | None:
    """An expression that evaluates to the value, or None where there is none."""
    if isinstance(value, float):
        return repr(value) if value - value == 0 else f'float("{value}")'
    if value is None or isinstance(value, bool | int | str | bytes | complex | range):
        return repr(value)
    if isinstance(value, list | tuple):
        items = [source_of(item) for item in cast(Iterable[Any], value)]
        if any(item is None for item in items):
            return None
        inner = ", ".join(map(str, items))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(items) == 1 else f"({inner})"
    if isinstance(value, set | frozenset):
        items = [source_of(item) for item in sorted(cast(Iterable[Any], value), key=repr)]
        if any(item is None for item in items):
            return None
        return "{" + ", ".join(map(str, items)) + "}" if items else "set()"
    if isinstance(value, dict):
        pairs = [(source_of(k), source_of(v)) for k, v in cast(dict[Any, Any], value).items()]
        if any(part is None for pair in pairs for part in pair):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    return None


def call_source(call: Call, function: str) -> str | None:
    """The call as an expression."""
    if call.source is not None:
        return call.source
    try:
        args = [source_of(wire.decode(argument)) for argument in call.args]
        named = [(name, source_of(wire.decode(value))) for name, value in call.kwargs.items()]
    except wire.WireError:
        return None
    if any(part is None for part in args) or any(part is None for _, part in named):
        return None
    inner = [*map(str, args), *(f"{name}={part}" for name, part in named)]
    return f"{function}({', '.join(inner)})"


def pytest_file(function: str, code: str, suite: Iterable[Case]) -> str:
    """A module with the tool's code and one test a case; it passes by itself."""
    tests: list[str] = []
    for number, case in enumerate(suite, start=1):
        body = _body(case, function)
        if body:
            origin = _comment(case)
            tests.append(f"def test_{function}_{number}():{origin}\n{body}\n")
    head = "import math\n\nimport pytest\n"
    return "\n\n".join([f"{head}\n{_CLOSE}", code.strip() + "\n", *tests])


def _body(case: Case, function: str) -> str | None:
    call = call_source(case.call, function)
    if call is None:
        return None
    if case.kind is CaseKind.RAISES:
        name = case.expected if isinstance(case.expected, str) else "Exception"
        name = (
            name if name.isidentifier() and name.endswith(("Error", "Exception")) else "Exception"
        )
        return f"    with pytest.raises({name}):\n        {call}"
    if case.kind is CaseKind.PROPERTY:
        return f"    result = {call}\n    assert {case.check}"
    expected = source_of(decoded(case.expected))
    if expected is None:
        return None
    return f"    assert close({call}, {expected})"


def _comment(case: Case) -> str:
    origin = case.origin or "cross-examination"
    sure = f", support {case.support:.2f}" if case.support is not None else ""
    return f"  # {origin}{sure}"


_CLOSE = '''
def close(left, right):
    """Equality that forgives the last digits of floats."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        if left != left or right != right:
            return left != left and right != right
        return math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(close(left[k], right[k]) for k in left)
    if isinstance(left, (list, tuple)) and type(left) is type(right):
        return len(left) == len(right) and all(map(close, left, right))
    return left == right
'''.strip()
