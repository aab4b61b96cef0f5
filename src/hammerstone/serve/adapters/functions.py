"""Any Python function as a tool of the library, proved by the examples in its docstring."""

import ast
import doctest
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Effect, Spec, Tool
from hammerstone.guard.purity import depends_on_the_moment

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__hammerstone_tool__"


def tool(function: F) -> F:
    """Mark a function as meant for the library; it works as before."""
    setattr(function, _MARK, True)
    return function


async def add_function(hs: Hammerstone, function: Callable[..., Any]) -> Tool:
    """Put the function into the library. Raises `BadRequest` when it is not whole by itself or
    an example of its docstring does not hold in the sandbox."""
    spec, code, cases = described(function)
    return await hs.library.add(spec, code, cases)


def described(function: Callable[..., Any]) -> tuple[Spec, str, tuple[Case, ...]]:
    """The promise, the source and the cases of a function."""
    name = function.__name__
    code = _source(function)
    doc = inspect.getdoc(function) or ""
    if not doc:
        raise BadRequest(f"{name} has no docstring", hint="its first line says what it gives")
    cases = tuple(_cases(name, doc))
    effect = Effect.READS if depends_on_the_moment(code) else Effect.PURE
    spec = Spec(
        name=name,
        description=doc.split(">>>")[0].strip(),
        parameters=_parameters(function),
        returns=_schema(get_type_hints(function).get("return", Any)),
        effect=effect,
        examples=cases,
    )
    return spec, code, cases


def _source(function: Callable[..., Any]) -> str:
    """The function's source without its decorators: they are of the module around it."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise BadRequest(f"the source of {function.__name__} cannot be read") from None
    module = syntax_tree(text)
    definition = module.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise BadRequest(f"{function.__name__} is no plain function", hint="def, not async def")
    definition.decorator_list = []
    outer = sorted(inspect.getclosurevars(function).globals)
    outer += sorted(inspect.getclosurevars(function).nonlocals)
    if outer:
        raise BadRequest(
            f"{function.__name__} uses {', '.join(outer)} from around it",
            hint="import and define everything inside the function",
        )
    return ast.unparse(module) + "\n"


def _parameters(function: Callable[..., Any]) -> JsonObject:
    hints = get_type_hints(function)
    properties: JsonObject = {}
    required: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise BadRequest(f"{function.__name__} takes *args or **kwargs", hint="name them")
        properties[name] = _schema(hints.get(name, Any))
        if parameter.default is parameter.empty:
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _schema(hint: Any) -> JsonObject:
    try:
        return TypeAdapter(hint).json_schema()
    except Exception as error:
        raise BadRequest(f"the type {hint} cannot be described ({type(error).__name__})") from None


def _cases(name: str, doc: str) -> list[Case]:
    """The docstring's examples that call the function and show a literal."""
    cases: list[Case] = []
    for example in doctest.DocTestParser().get_examples(doc):
        source = example.source.strip()
        if f"{name}(" not in source:
            continue
        if example.exc_msg:
            raised = example.exc_msg.partition(":")[0].strip()
            call = Call(source=source)
            cases.append(Case(CaseKind.RAISES, call, expected=raised, origin=CaseOrigin.USER))
            continue
        try:
            expected = wire.encode(ast.literal_eval(syntax_tree(example.want.strip(), mode="eval")))
        except (ValueError, SyntaxError):
            continue
        cases.append(
            Case(CaseKind.VALUE, Call(source=source), expected=expected, origin=CaseOrigin.USER)
        )
    return cases
