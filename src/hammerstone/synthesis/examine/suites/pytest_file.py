"""The frozen suite as a pytest file for people. It is never the verdict."""

from collections.abc import Iterable

from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.equality import decoded
from hammerstone.judging.rendering import call_source, source_of


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
