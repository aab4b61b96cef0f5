"""A chain as one module: the parts' code inside, each with names of its own, and no model.

Each part's module becomes the body of a function that returns the part's own function, so that
two parts may use the same helper names. What cannot live inside a function (star imports, future
imports, `global`) makes no composite.
"""

import ast
from collections.abc import Mapping, Sequence

from hammerstone.core.dataflow import Constant, FromStep, Source
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Version
from hammerstone.library.workflows import WorkflowStep


class CannotCompose(ValueError):
    """The parts cannot be put together; the message says why."""


def compose(
    name: str,
    steps: Sequence[WorkflowStep],
    parts: Mapping[str, Version],
    parameters: Sequence[tuple[str, str]],
    description: str,
) -> str:
    """The module's source. `parameters` are names with the default's source, or none."""
    tools = list(dict.fromkeys(step.tool for step in steps))
    blocks = [_part(parts[tool]) for tool in tools]
    head = ", ".join(f"{p}={default}" if default else p for p, default in parameters)
    lines = [f"def {name}({head}):", f"    {_docstring(description)}"]
    for number, step in enumerate(steps):
        arguments = ", ".join(f"{a}={_expression(s)}" for a, s in step.arguments.items())
        lines.append(f"    step_{number} = {step.tool}({arguments})")
    lines.append(f"    return step_{len(steps) - 1}")
    helper = [_PLAIN] if any(step.needs for step in steps) else []
    source = "\n\n\n".join([*helper, *blocks, "\n".join(lines)]) + "\n"
    try:
        syntax_tree(source)
    except SyntaxError as error:
        raise CannotCompose(f"the parts do not fit together: {error.msg}") from None
    return source


# What one tool hands to the next inside a run has been JSON in between; so it is here.
_PLAIN = '''def _handed_on(value):
    """The value as the next tool gets it: what is no plain JSON does not fit."""
    if isinstance(value, (tuple, list)):
        return [_handed_on(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _handed_on(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be handed on")'''


def _expression(source: Source[int]) -> str:
    if isinstance(source, Constant):
        return repr(source.value)
    whole = f"_handed_on(step_{source.step})" if isinstance(source, FromStep) else source.name
    return whole + "".join(f"[{key!r}]" for key in source.path)


def _part(version: Version) -> str:
    """The part's function under its tool's name, with everything it needs hidden inside."""
    try:
        tree = syntax_tree(version.code)
    except (SyntaxError, ValueError):
        raise CannotCompose(f"the code of {version.tool} does not parse") from None
    for node in ast.walk(tree):
        star = isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if star or future or isinstance(node, ast.Global):
            raise CannotCompose(f"{version.tool} uses names that cannot be isolated")
    module = syntax_tree(f"def _make_{version.tool}():\n    pass")
    factory = module.body[0]
    assert isinstance(factory, ast.FunctionDef)
    factory.body = [*tree.body, ast.Return(ast.Name(version.tool, ast.Load()))]
    ast.fix_missing_locations(module)
    return f"{ast.unparse(module)}\n\n\n{version.tool} = _make_{version.tool}()"


def _docstring(description: str) -> str:
    text = " ".join(description.split()).replace("\\", "").replace('"', "'")
    return f'"""{text}"""'
