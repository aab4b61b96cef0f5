"""A tool: what it promises, the code that keeps the promise, and the evidence for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.parameters import Parameters


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
