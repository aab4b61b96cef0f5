"""A description of a function whose author wrote none, made when nobody waits for it."""

import ast
import json
from dataclasses import replace

from hammerstone.core import wire
from hammerstone.core.calls import Call, Program
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BudgetExceeded, ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model, Sandbox
from hammerstone.prompts import load
from hammerstone.synthesis.solutions.heads import HeadParameter, definition
from hammerstone.synthesis.solutions.plain import PlainFunction

_LONGEST = 140  # characters of a description
_MOST_TOKENS = 160
_MOST_CODE = 4000
_COUNT, _NUMBER = "integer", "number"


async def describe(
    function: PlainFunction, request: str, model: Model, sandbox: Sandbox
) -> PlainFunction:
    """The function with a description, and with numbers where it takes fractions too.

    What its author wrote stays. Without a usable reply nothing is changed: its name speaks for it.
    """
    open_counts = _untyped_counts(function)
    if function.head.description and not open_counts:
        return function
    reply = await _ask(function, request, open_counts, model)
    wide = [name for name in open_counts if reply.get(name) == _NUMBER]
    taken = [name for name in wide if await _takes_fraction(function, name, sandbox)]
    parameters = tuple(_widened(p) if p.name in taken else p for p in function.head.parameters)
    said = _first_sentence(str(reply.get("description") or ""))
    head = replace(
        function.head,
        parameters=parameters,
        description=function.head.description or said,
    )
    return replace(function, head=head)


def _first_sentence(text: str) -> str:
    """The first sentence: small models go on, and what they add is about the code."""
    said, stop, _ = f"{' '.join(text.split())} ".partition(". ")
    return f"{said.strip()}{stop.strip()}"


def _untyped_counts(function: PlainFunction) -> list[str]:
    """Parameters that are whole numbers by their value alone, without a hint of the author."""
    node = definition(function.code, function.head.name)
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if node else []
    hinted = {argument.arg for argument in arguments if argument.annotation is not None}
    return [p.name for p in function.head.parameters if p.name not in hinted and _is_count(p)]


def _is_count(parameter: HeadParameter) -> bool:
    hint = parameter.hint
    items = hint.get("items")
    whole: JsonObject = {"type": _COUNT}
    return hint.get("type") == _COUNT or (hint.get("type") == "array" and items == whole)


def _widened(parameter: HeadParameter) -> HeadParameter:
    many = parameter.hint.get("type") == "array"
    change: JsonObject = {"items": {"type": _NUMBER}} if many else {"type": _NUMBER}
    return replace(parameter, hint={**parameter.hint, **change})


async def _ask(
    function: PlainFunction, request: str, open_counts: list[str], model: Model
) -> JsonObject:
    kind: Json = {"enum": [_COUNT, _NUMBER]}
    properties: JsonObject = {
        "description": {"type": "string", "maxLength": _LONGEST},
        **dict.fromkeys(open_counts, kind),
    }
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
    node = definition(function.code, function.head.name)
    code = ast.unparse(node) if node else function.code
    prompt = Prompt(
        load("describe").fill(request=request[:_MOST_CODE], code=code[:_MOST_CODE]),
        schema=schema,
        max_tokens=_MOST_TOKENS,
        purpose="description",
    )
    try:
        reply: Json = json.loads((await model.complete(prompt)).text)
    except (ModelNonsense, BudgetExceeded, ValueError):
        return {}
    return reply if isinstance(reply, dict) else {}


async def _takes_fraction(function: PlainFunction, name: str, sandbox: Sandbox) -> bool:
    """Whether the function still gives a result where one of its whole numbers is a fraction."""
    value = function.arguments[name]
    other = [*map(_plus_half, value)] if isinstance(value, list) else _plus_half(value)
    call = Call(kwargs={**function.arguments, name: wire.encode(other)})
    outcome = await sandbox.call(Program(function.code, function.head.name), call)
    return outcome.ok


def _plus_half(value: Json) -> Json:
    return value + 0.5 if isinstance(value, int) else value
