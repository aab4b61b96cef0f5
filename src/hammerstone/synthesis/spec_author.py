"""From a request to a spec: the first of the authors."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.core.tools import Effect, Spec
from hammerstone.synthesis.produced import kinds_wanted
from hammerstone.synthesis.signature import parameter_schemas, safe_identifier
from hammerstone.synthesis.types import TYPE_WORDS, schema_of


class RequestKind(StrEnum):
    """What a request is about; only calculations become tools."""

    CALCULATION = "calculation"
    CONVERSATION = "conversation"
    LIVE_DATA = "needs live data"
    HARMFUL = "harmful"


@dataclass(frozen=True, slots=True)
class Draft:
    """What the author made of a request; `spec` only when the request is a calculation."""

    kind: RequestKind
    spec: Spec | None


_SYSTEM = """\
You design small reusable Python functions. Given a request, describe one general function \
that answers it and every request like it: what varies between such requests is a parameter, \
never a constant. Reply as JSON.
kind: "calculation" if a Python function can compute the answer from what the request contains; \
"needs live data" if it needs the internet, the current weather, prices, news or the future; \
"conversation" if nothing is to be computed (a greeting, an opinion); "harmful" if it would hurt \
someone.
description: what the function returns for its parameters, in one or two sentences, without values \
from the request.
parameters: "whole number" only for what is counted; a date is "text"; many values of one kind \
are one list.
edge_cases: what comes out for special arguments where that is not obvious, else nothing."""

_EXAMPLE = """\
Request: Is 91 a prime number?
{"kind": "calculation", "name": "is_prime", "description": "Tell whether a number is prime.", \
"parameters": [{"name": "number", "type": "whole number", "description": "the number to test"}], \
"returns": "true or false", "returns_description": "true if the number is prime", \
"edge_cases": ["Numbers below 2 are not prime."]}

Request: How much is a price of 80 euros with 19% tax?
{"kind": "calculation", "name": "price_with_tax", "description": "Compute the price with tax.", \
"parameters": [{"name": "price", "type": "number", "description": "the price without tax"}, \
{"name": "tax_percent", "type": "number", "description": "the tax in percent, 19 for 19%"}], \
"returns": "number", "returns_description": "the price with the tax added", "edge_cases": []}

"""

# For requests of which a first design left a number out. A small model follows the last example
# most, so it stands last, and only then.
_EXAMPLE_OF_MANY = """\
Request: 3 pens cost 4.20 euros. What do 7 pens cost?
{"kind": "calculation", "name": "cost_in_proportion", "description": "Compute what a number of \
things costs when the cost of another number of them is known.", \
"parameters": [{"name": "known_count", "type": "number", "description": "how many have a known \
cost"}, {"name": "known_cost", "type": "number", "description": "what these cost"}, \
{"name": "wanted_count", "type": "number", "description": "how many the cost is wanted for"}], \
"returns": "number", "returns_description": "the cost of the wanted number", "edge_cases": []}

"""

_WORDS: list[Any] = list(TYPE_WORDS)
_MEASURED = re.compile(
    r"\b(price|cost|rate|percent|temperature|celsius|fahrenheit|kelvin|weight|mass|distance|width"
    r"|height|radius|diameter|area|volume|speed|salary|income|tax|tip|bill|balance|interest"
    r"|principal|kilomet(er|re)|mile|met(er|re)|inch|foot|feet|gram|kilo|kilogram|pound|ounce"
    r"|lit(er|re)|gallon|angle|ratio)(s|es|age)?\b",
    re.IGNORECASE,
)
MOST_PARAMETERS = 8
_PLACE = re.compile(r"(^|_)(path|file|filename|folder|directory|output)(_|$|name)")
_CONVERSION = re.compile(r"(convert_)?([a-z0-9]+)_to_([a-z0-9]+)")
_NAME = "^[a-z][a-z0-9]*(_[a-z0-9]+){0,6}$"

DRAFT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "kind": {"enum": [str(kind) for kind in RequestKind]},
        "name": {"type": "string", "pattern": _NAME},
        "description": {"type": "string", "maxLength": 300},
        "parameters": {
            "type": "array",
            "maxItems": MOST_PARAMETERS,
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "pattern": _NAME},
                    "type": {"enum": _WORDS},
                    "description": {"type": "string", "maxLength": 160},
                },
                "required": ["name", "type", "description"],
                "additionalProperties": False,
            },
        },
        "returns": {"enum": _WORDS},
        "returns_description": {"type": "string", "maxLength": 160},
        "edge_cases": {
            "type": "array",
            "maxItems": 2,
            "items": {"type": "string", "maxLength": 120},
        },
    },
    "required": [
        "kind",
        "name",
        "description",
        "parameters",
        "returns",
        "returns_description",
    ],
    "additionalProperties": False,
}


class SpecAuthor:
    """Reads a request and says which general function would answer it."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def write(
        self, request: str, complaint: str = "", *, files: str = "", many_numbers: bool = False
    ) -> Draft:
        """The draft for a request.

        `complaint` says what was wrong with the one before, `files` what the person's files
        begin with; `many_numbers`: each number of the request should be a parameter.
        """
        text = f"{_EXAMPLE}{_EXAMPLE_OF_MANY if many_numbers else ''}Request: {request}"
        if files:
            text += f"\n{files}\n(A file is a parameter of type text: its path.)"
        produced = kinds_wanted(request)
        if produced:
            kinds = " and a ".join(produced)
            text += f"\n(The function also saves a {kinds} file; where to is no parameter.)"
        if complaint:
            text += f"\n(An earlier design failed: {complaint})"
        prompt = Prompt(
            messages=(Message("system", _SYSTEM), Message("user", text)),
            schema=DRAFT_SCHEMA,
            max_tokens=700,
            purpose="spec",
        )
        reply = await self._model.complete(prompt)
        draft = read_draft(reply.text)
        if draft.spec is None or not produced:
            return draft
        # What is saved depends on the moment of the call: such a tool is never cached.
        spec = draft.spec if files else _without_places(draft.spec)
        return Draft(draft.kind, replace(spec, produces=produced, effect=Effect.READS))


def read_draft(text: str) -> Draft:
    """The draft a model wrote; raises `ModelNonsense` when it is none."""
    try:
        data: dict[str, Any] = json.loads(text)
        kind = RequestKind(data["kind"])
        if kind is not RequestKind.CALCULATION:
            return Draft(kind, None)
        properties: JsonObject = {}
        for parameter in data["parameters"]:
            name = safe_identifier(str(parameter["name"]))
            said = str(parameter["description"])
            properties[name] = schema_of(
                _widened(parameter["type"], f"{name.replace('_', ' ')} {said}"), said
            )
        said = str(data["returns_description"])
        spec = Spec(
            name=safe_identifier(_right_way_round(str(data["name"]), list(properties))),
            description=str(data["description"]).strip(),
            parameters={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
            returns=schema_of(_widened(data["returns"], said), said),
            effect=Effect.PURE,
            edge_cases=tuple(str(one).strip() for one in data.get("edge_cases", ()) if one),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelNonsense(
            "the model's spec cannot be read", hint="try again, or configure a larger model"
        ) from error
    return Draft(kind, spec)


def _without_places(spec: Spec) -> Spec:
    """The spec without parameters that say where to save: files go to a folder of their own."""
    properties = parameter_schemas(spec)
    kept: JsonObject = {n: schema for n, schema in properties.items() if not _PLACE.search(n)}
    if not kept:
        return spec
    return replace(spec, parameters={**spec.parameters, "properties": kept, "required": list(kept)})


def _right_way_round(name: str, parameters: Sequence[str]) -> str:
    """`kilometers_to_miles` for what a model called `miles_to_kilometers(kilometers)`."""
    match = _CONVERSION.fullmatch(name)
    if match is None or len(parameters) != 1:
        return name
    start, source, target = match[1] or "", match[2], match[3]
    given = parameters[0].rstrip("s")
    swapped = given in target and given not in source
    return f"{start}{target}_to_{source}" if swapped else name


def _widened(word: str, said: str) -> str:
    """The type for what is measured: the next request will not have a whole number."""
    return "number" if word == "whole number" and _MEASURED.search(said) else word
