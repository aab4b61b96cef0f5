"""What a tool is found by: its name, its description, its parameters, typical requests."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Parameters, Spec
from hammerstone.library.search.text.request_text import search_text
from hammerstone.library.search.text.stems import split_name, stems

_PARAMETER = re.compile(r"^- (.*?) \(([a-z, ]*)\): ?(.*)$")
_REQUEST = "? "
_NUMBERS = frozenset({"integer", "number"})
_MANY = frozenset({"array", "object", "any"})  # hold any number of numbers


@dataclass(frozen=True, slots=True)
class ParameterFacet:
    """One parameter of a tool, as search reads it."""

    name: str
    type: str
    required: bool
    description: str

    @property
    def numeric(self) -> bool:
        return self.type in _NUMBERS


@dataclass(frozen=True, slots=True)
class Facets:
    """A tool as search sees it. `text` and `parse` are each other's inverse."""

    name: str
    description: str
    parameters: tuple[ParameterFacet, ...] = ()
    requests: tuple[str, ...] = ()  # as search reads them

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        schema: JsonObject,
        requests: Sequence[str] = (),
    ) -> "Facets":
        takes = Parameters.of(schema)
        return cls(
            _line(name),
            _line(description),
            tuple(
                ParameterFacet(
                    _line(key),
                    _type(about),
                    key in takes.required,
                    _line(takes.description_of(key)),
                )
                for key, about in takes.schemas.items()
            ),
            tuple(_line(search_text(request)) for request in requests),
        )

    @classmethod
    def of_spec(cls, spec: Spec) -> "Facets":
        return cls.of(spec.name, spec.description, spec.parameters, spec.requests)

    @property
    def text(self) -> str:
        lines = [self.name, self.description]
        for parameter in self.parameters:
            kind = f"{parameter.type}, required" if parameter.required else parameter.type
            lines.append(f"- {parameter.name} ({kind}): {parameter.description}")
        lines += [f"{_REQUEST}{request}" for request in self.requests]
        return "\n".join(lines)

    @classmethod
    def parse(cls, text: str) -> "Facets":
        name, _, rest = text.partition("\n")
        description, _, rest = rest.partition("\n")
        found = (_PARAMETER.match(line) for line in rest.split("\n"))
        return cls(
            name,
            description,
            tuple(
                ParameterFacet(
                    match[1],
                    match[2].removesuffix(", required"),
                    match[2].endswith(", required"),
                    match[3],
                )
                for match in found
                if match
            ),
            tuple(line.removeprefix(_REQUEST) for line in rest.split("\n") if line[:2] == _REQUEST),
        )

    @property
    def numbers(self) -> tuple[float, float]:
        """How many numbers the tool needs, and how many it can take."""
        # Without parameters nothing is known about what it takes.
        if not self.parameters or any(each.type in _MANY for each in self.parameters):
            most = math.inf
        else:
            most = float(sum(each.numeric for each in self.parameters))
        return float(sum(each.numeric and each.required for each in self.parameters)), most

    def embedded(self) -> tuple[str, ...]:
        """The texts whose vectors are mixed: description, everything, name, each request."""
        name = split_name(self.name)
        told = "; ".join(
            f"{split_name(parameter.name)}: {parameter.description}"
            for parameter in self.parameters
        )
        whole = f"{name}. {self.description} {told}".strip()
        return self.description or name, whole, name, *self.requests

    def weighted_texts(self) -> tuple[tuple[str, float], ...]:
        """The texts whose words are indexed, and what a word in each counts."""
        return (
            (split_name(self.name), 1.0),
            (self.description, 1.0),
            (" ".join(split_name(parameter.name) for parameter in self.parameters), 1.0),
            (" ".join(parameter.description for parameter in self.parameters), 0.6),
        )

    @property
    def words(self) -> set[str]:
        """The words by which it is found."""
        return {word for text, _ in self.weighted_texts() for word in stems(text)}


def normal_schema(schema: JsonObject) -> JsonObject:
    """A JSON Schema from one that says `dict` and `float`, as function-calling sets do."""
    renamed = {"dict": "object", "float": "number", "tuple": "array", "any": ""}
    result: JsonObject = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            kind = renamed.get(value.lower(), value)
            if kind:
                result[key] = kind
        elif isinstance(value, dict):
            result[key] = _normal_properties(value) if key == "properties" else normal_schema(value)
        else:
            result[key] = value
    return result


def _normal_properties(properties: JsonObject) -> JsonObject:
    return {
        name: normal_schema(about) if isinstance(about, dict) else about
        for name, about in properties.items()
    }


def _type(about: JsonObject) -> str:
    kind = about.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    return kind if isinstance(kind, str) and kind.isalpha() else "any"


def _line(text: str) -> str:
    """The text on one line: lines are what keeps facets apart."""
    return " ".join(text.split())
