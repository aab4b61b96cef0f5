"""What a check of a test demands of the result, in words where it has a usual form."""

import ast

from hammerstone.core.formatting import decimal

RESULT = "result"
_WRAPPERS = ("float", "int", "round", "str")  # a result is compared as this


def check_words(check: str) -> str:
    """The check as the end of a sentence that begins with the call: "is within 0.5 of 24".

    One of another form stays the code it is.
    """
    plain = f"must satisfy: {check}"
    try:
        compared = ast.parse(check, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return plain
    if not isinstance(compared, ast.Compare) or len(compared.ops) != 1:
        return plain
    left, right, how = compared.left, compared.comparators[0], compared.ops[0]
    if isinstance(how, ast.Lt | ast.LtE):
        return _near(left, right) or plain
    if isinstance(how, ast.Eq) and isinstance(right, ast.Constant) and _is_result(left):
        loosely = "" if isinstance(left, ast.Name) else ", whatever its form"
        return f"is {ast.unparse(right)}{loosely}"
    return plain


def _near(distance: ast.expr, most: ast.expr) -> str:
    """`abs(result - number) <= most`, in either order; empty for anything else."""
    if not (isinstance(distance, ast.Call) and _named(distance, "abs") and len(distance.args) == 1):
        return ""
    apart = distance.args[0]
    if not (isinstance(apart, ast.BinOp) and isinstance(apart.op, ast.Sub)):
        return ""
    sides = [apart.left, apart.right]
    values = [side for side in sides if not _is_result(side)]
    number, margin = _number(values[0]) if len(values) == 1 else None, _number(most)
    if number is None or margin is None:
        return ""
    return f"is within {decimal(round(margin, 8))} of {decimal(number)}"


def _is_result(node: ast.expr) -> bool:
    """The result itself, also as a number or a text of it."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            node = node.func.value  # a method, such as strip
        elif isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS and node.args:
            node = node.args[0]
        else:
            return False
    return isinstance(node, ast.Name) and node.id == RESULT


def _named(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
