"""A tool: what it takes and promises, the code that keeps the promise, and the evidence for it.

Whether one schema fits where another is expected is told by their JSON types, kept lenient.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject

MOST_PROBLEMS = 20
_LONGEST = 300


class Effect(StrEnum):
    PURE = "pure"
    READS = "reads"
    WRITES = "writes"


class Status(StrEnum):
    """Standing of one version; appended as assessments, never edited."""

    EXPERIMENTAL = "experimental"
    VERIFIED = "verified"
    TRUSTED = "trusted"
    DEPRECATED = "deprecated"
    RETIRED = "retired"


class CaseKind(StrEnum):
    VALUE = "value"  # the call returns `expected`
    RAISES = "raises"  # the call raises; `expected` may name the error type
    PROPERTY = "property"  # `check`, an expression over `result` and the arguments, holds


class CaseOrigin(StrEnum):
    """What a case comes from, as its `origin` says it."""

    USER = "user"  # a person stated it: truth
    STRENGTHENING = "strengthening"  # made to notice a mistake that the others let pass
    FAILURE = "failure"  # a call that failed
    REPAIR = "repair"  # the same, once it was repaired
    RUN = "run"  # a call of a request, whose id follows
    AUTHOR = "author"  # a test author, whose name is any other origin


@dataclass(frozen=True, slots=True)
class Case:
    """One atomic test. `expected` is in wire form and never enters a candidate's process."""

    kind: CaseKind
    call: Call
    expected: Json = None
    check: str = ""
    origin: str = ""  # a `CaseOrigin`, "run" and the id of the request, or an author's name
    support: float | None = None  # belief that the case itself is right, once inferred
    note: str = ""  # for a rejected case: why

    @property
    def origin_kind(self) -> CaseOrigin:
        """What it comes from."""
        kind, _, name = self.origin.partition(" ")
        if name and kind != CaseOrigin.RUN:
            return CaseOrigin.AUTHOR
        try:
            return CaseOrigin(kind)
        except ValueError:
            return CaseOrigin.AUTHOR


def schema_validator(schema: JsonObject) -> Any:
    """jsonschema's validator of a schema, which is loaded when the first is needed."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema)


class ArgumentProblemKind(StrEnum):
    """Why arguments are not accepted."""

    NOT_JSON = "not json"  # holds something that cannot be passed at all
    MISSING = "missing"  # a required one was not given
    UNKNOWN = "unknown"  # there is no such parameter
    TYPE = "type"  # a value of another type
    VALUE = "value"  # the right type, and still not accepted


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """One thing that keeps arguments from being accepted; `text` says it to a person."""

    kind: ArgumentProblemKind
    parameter: str  # empty where it concerns all of them
    text: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes, read from a JSON schema of type object.

    `schemas` has each parameter's own schema, in the order of the signature. `listed` are the
    names that the schema calls required; None where it says nothing about it.
    """

    schema: JsonObject
    schemas: Mapping[str, JsonObject]
    listed: tuple[str, ...] | None = None

    @staticmethod
    def of(schema: Mapping[str, Json]) -> "Parameters":
        """The parameters that a schema describes; one whose own schema is no object takes
        anything."""
        properties = schema.get("properties")
        known = properties if isinstance(properties, dict) else {}
        schemas = {name: one if isinstance(one, dict) else {} for name, one in known.items()}
        required = schema.get("required")
        listed = tuple(map(str, required)) if isinstance(required, list) else None
        return Parameters(dict(schema), schemas, listed)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schemas)

    @property
    def required(self) -> tuple[str, ...]:
        """The parameters that have to be given, as JSON Schema means it: none unless listed."""
        return self.listed or ()

    @property
    def required_or_all(self) -> tuple[str, ...]:
        """The required ones; all of them where the schema does not say which."""
        return self.names if self.listed is None else self.listed

    def schema_of(self, name: str) -> JsonObject:
        """What a parameter accepts; an empty schema, which accepts anything, for no parameter."""
        return self.schemas.get(name, {})

    def description_of(self, name: str) -> str:
        return str(self.schema_of(name).get("description") or "")

    def accepts(self, arguments: JsonObject) -> bool:
        return not self.validate(arguments, most=1)

    def mismatch(self, arguments: JsonObject) -> str:
        """What keeps these arguments from being accepted, for a person; empty when nothing does."""
        found = self.validate(arguments, most=1)
        return found[0].text if found else ""

    def validate(
        self, arguments: JsonObject, most: int = MOST_PROBLEMS
    ) -> tuple[ArgumentProblem, ...]:
        """What keeps these arguments from being accepted, at most so many; empty when nothing does.

        A schema that is itself broken keeps nothing out.
        """
        try:
            json.dumps(arguments, allow_nan=False)
            wire.encode(arguments)
        except (ValueError, TypeError, RecursionError) as error:
            text = f"not plain JSON ({error})"[:_LONGEST]
            return (ArgumentProblem(ArgumentProblemKind.NOT_JSON, "", text),)
        validator = schema_validator(self.schema)
        try:
            found = tuple(islice(self._problems(validator, arguments), most))
            if found:
                validator.check_schema(self.schema)
        except Exception:  # the arguments are plain JSON: only the schema can be at fault
            return ()
        return found

    def _problems(self, validator: Any, arguments: JsonObject) -> Iterator[ArgumentProblem]:
        missing = iter([name for name in self.required if name not in arguments])
        for error in validator.iter_errors(arguments):
            path = [str(part) for part in error.absolute_path]
            message = str(error.message)
            text = f"{'.'.join(path)}: {message}" if path else message
            kind = _KINDS.get(str(error.validator), ArgumentProblemKind.VALUE)
            parameter = path[0] if path else ""
            if path and kind is not ArgumentProblemKind.TYPE:
                kind = ArgumentProblemKind.VALUE  # of a part within an argument
            elif kind is ArgumentProblemKind.MISSING:
                parameter = next(missing, "")
            elif kind is ArgumentProblemKind.UNKNOWN:
                parameter = next((name for name in arguments if name not in self.schemas), "")
            yield ArgumentProblem(kind, parameter, text[:_LONGEST])


_KINDS = {
    "required": ArgumentProblemKind.MISSING,
    "additionalProperties": ArgumentProblemKind.UNKNOWN,
    "unevaluatedProperties": ArgumentProblemKind.UNKNOWN,
    "type": ArgumentProblemKind.TYPE,
}

_ANY = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True, slots=True)
class Spec:
    """What a tool promises: general, not tied to the values of one request."""

    name: str
    description: str
    parameters: JsonObject  # JSON Schema, type object
    returns: JsonObject  # JSON Schema
    effect: Effect = Effect.PURE
    edge_cases: tuple[str, ...] = ()
    examples: tuple[Case, ...] = ()  # given by the user: truth
    limits: str = "standard"
    produces: tuple[str, ...] = ()  # kinds of files that each call leaves behind: "csv", "png"
    constants: tuple[float, ...] = ()  # numbers of the first request that no parameter takes
    requests: tuple[str, ...] = ()  # how people ask for it

    @property
    def takes(self) -> Parameters:
        """The parameters, as their schema describes them."""
        return Parameters.of(self.parameters)


@dataclass(frozen=True, slots=True)
class Version:
    """Immutable; `id` is the hash of code, spec, suite and effect."""

    id: str
    tool: str
    number: int
    code: str
    spec: Spec
    suite: tuple[Case, ...]
    rejected: tuple[Case, ...]
    provenance: Mapping[str, Json]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Assessment:
    """What was known about a version at one moment."""

    version_id: str
    status: Status
    confidence: float | None
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A library entry: its active version and that version's latest assessment.

    `confidence` is what its proof said, `earned` what use has made of it, where any was judged.
    """

    name: str
    version: Version
    status: Status
    confidence: float | None
    uses: int = 0
    successes: int = 0
    earned: float | None = None

    @property
    def chance(self) -> float | None:
        """The chance that its next answer is right, by all that is known now."""
        return self.confidence if self.earned is None else self.earned


def types_of(schema: Json) -> frozenset[str]:
    """The JSON types that a schema may accept; all of them when it does not say."""
    if not isinstance(schema, dict):
        return _ANY
    if isinstance(kind := schema.get("type"), str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(str(each) for each in kind)
    for word in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(word), list):
            return frozenset[str]().union(*(types_of(option) for option in options))
    if isinstance(values := schema.get("enum"), list):
        return frozenset(type_of(value) for value in values)
    return _ANY


def type_of(value: Json) -> str:
    """The JSON type of a value in plain form."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def fits_type(given: Json, wanted: Json) -> bool:
    """Whether something of the schema `given` may be used where `wanted` is expected."""
    have, want = types_of(given), types_of(wanted)
    if "number" in want:
        want |= {"integer"}
    if "number" in have and "integer" in want:
        have |= {"integer"}  # 3.0 is a whole number; checked again on the value itself
    if not have & want:
        return False
    if have & want == frozenset({"array"}):
        inner = given.get("items") if isinstance(given, dict) else None
        other = wanted.get("items") if isinstance(wanted, dict) else None
        return inner is None or other is None or fits_type(inner, other)
    return True


def type_at(schema: JsonObject, path: Sequence[str | int]) -> JsonObject | None:
    """The schema of what lies at `path`; an empty one when nothing is said, None when the
    schema says that there is no such place."""
    current: JsonObject = schema
    for part in path:
        if isinstance(part, int):
            if "array" not in types_of(current):
                return None
            items = current.get("items")
            current = items if isinstance(items, dict) else {}
            continue
        if "object" not in types_of(current):
            return None
        properties = current.get("properties")
        if isinstance(properties, dict) and part not in properties:
            if current.get("additionalProperties") is False:
                return None
            return {}
        found = properties.get(part) if isinstance(properties, dict) else None
        current = found if isinstance(found, dict) else {}
    return current
