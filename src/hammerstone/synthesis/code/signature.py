"""A spec as the head of a Python function: what test and code authors are shown."""

import textwrap

from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.judging.rendering import show

_LONGEST_EXAMPLE = 300


def def_line(spec: Spec) -> str:
    """`def name(parameter: hint, ...) -> hint:`"""
    takes = spec.takes
    parts: list[str] = []
    for name, schema in takes.schemas.items():
        default = "" if name in takes.required else f" = {schema.get('default')!r}"
        hint = python_hint(schema)
        if default == " = None":
            hint += " | None"
        parts.append(f"{name}: {hint}{default}")
    return f"def {spec.name}({', '.join(parts)}) -> {python_hint(spec.returns)}:"


def docstring(spec: Spec) -> str:
    """Description, parameters, result, edge cases, examples: the promise in prose."""
    lines = [spec.description.strip()]
    described = [
        f"{name}: {schema['description']}"
        for name, schema in spec.takes.schemas.items()
        if schema.get("description")
    ]
    if described:
        lines += ["", *described]
    if spec.returns.get("description"):
        lines += ["", f"Returns {spec.returns['description']}"]
    if spec.edge_cases:
        lines += ["", *spec.edge_cases]
    shown = [_example(case) for case in spec.examples[:3] if case.kind is CaseKind.VALUE]
    if any(shown):
        lines += ["", *(line for line in shown if line)]
    return "\n".join(lines)


def _example(case: Case) -> str:
    """A case as a doctest, when it is short enough to be read."""
    text = f">>> {case.call.source}\n{show(case.expected)}"
    return text if case.call.source and len(text) <= _LONGEST_EXAMPLE else ""


def stub(spec: Spec) -> str:
    """The function's head with its docstring and no body."""
    return f"{def_line(spec)}\n{textwrap.indent(quoted(docstring(spec)), '    ')}"


def quoted(text: str) -> str:
    """The text as a docstring's literal, whatever quotes and backslashes are in it."""
    safe = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{safe}\n"""' if "\n" in safe or safe.endswith('"') else f'"""{safe}"""'


def python_hint(schema: Json) -> str:
    """The Python type hint that says the same as a JSON Schema, as far as hints can."""
    if not isinstance(schema, dict):
        return "object"
    kind = schema.get("type")
    if isinstance(kind, list):
        parts = [python_hint({**schema, "type": one}) for one in kind]
        return " | ".join(parts)
    if kind == "array":
        items = schema.get("items")
        inner = python_hint(items) if isinstance(items, dict) and items.get("type") else ""
        return f"list[{inner}]" if inner else "list"
    names = {
        "integer": "int",
        "number": "float",
        "string": "str",
        "boolean": "bool",
        "object": "dict",
        "null": "None",
    }
    return names.get(str(kind), "object")
