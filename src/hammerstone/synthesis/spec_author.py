"""From a request to a spec: the first of the authors."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.core.tools import Effect, Spec
from hammerstone.synthesis.signature import safe_identifier
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
from the request."""

_EXAMPLE = """\
Request: Is 91 a prime number?
{"kind": "calculation", "name": "is_prime", "description": "Tell whether a whole number is prime. \
Numbers below 2 are not prime.", "parameters": [{"name": "number", "type": "whole number", \
"description": "the number to test"}], "returns": "true or false", "returns_description": \
"true if the number is prime"}

Request: How much is a price of 80 euros with 19% tax?
{"kind": "calculation", "name": "price_with_tax", "description": "Compute the price with tax.", \
"parameters": [{"name": "price", "type": "number", "description": "the price without tax"}, \
{"name": "tax_percent", "type": "number", "description": "the tax in percent, 19 for 19%"}], \
"returns": "number", "returns_description": "the price with the tax added"}

Request: """

_WORDS: list[Any] = list(TYPE_WORDS)
_NAME = "^[a-z][a-z0-9]*(_[a-z0-9]+){0,6}$"

DRAFT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "kind": {"enum": [str(kind) for kind in RequestKind]},
        "name": {"type": "string", "pattern": _NAME},
        "description": {"type": "string", "maxLength": 300},
        "parameters": {
            "type": "array",
            "maxItems": 8,
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
    },
    "required": ["kind", "name", "description", "parameters", "returns", "returns_description"],
    "additionalProperties": False,
}


class SpecAuthor:
    """Reads a request and says which general function would answer it."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def write(self, request: str, complaint: str = "") -> Draft:
        """The draft for a request; `complaint` says what was wrong with the one before."""
        text = f"{_EXAMPLE}{request}"
        if complaint:
            text += f"\n(An earlier design failed: {complaint})"
        prompt = Prompt(
            messages=(Message("system", _SYSTEM), Message("user", text)),
            schema=DRAFT_SCHEMA,
            max_tokens=700,
            purpose="spec",
        )
        reply = await self._model.complete(prompt)
        return read_draft(reply.text)


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
            properties[name] = schema_of(parameter["type"], str(parameter["description"]))
        spec = Spec(
            name=safe_identifier(str(data["name"])),
            description=str(data["description"]).strip(),
            parameters={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
            returns=schema_of(data["returns"], str(data["returns_description"])),
            effect=Effect.PURE,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelNonsense(
            "the model's spec cannot be read", hint="try again, or configure a larger model"
        ) from error
    return Draft(kind, spec)
