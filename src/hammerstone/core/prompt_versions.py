"""A prompt's texts over time, and how well each did: with which model, on which cases, when."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject

SHIPPED_VERSION = 0  # the text that came with the package has no number of its own


class PromptOrigin(StrEnum):
    """Where a text comes from."""

    SHIPPED = "shipped"
    PERSON = "person"
    REWRITE = "rewrite"
    SEARCH = "search"


def text_hash(text: str) -> str:
    """What a text is known by; the same words are the same version."""
    return digest(text)[:12]


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One text of a prompt. `parent` is the hash of the text it was made from, if any."""

    name: str
    number: int
    hash: str
    text: str
    origin: PromptOrigin
    created_at: datetime
    parent: str = ""
    why: str = ""

    def to_json(self) -> JsonObject:
        return {
            "name": self.name,
            "number": self.number,
            "hash": self.hash,
            "origin": str(self.origin),
            "parent": self.parent,
            "why": self.why,
            "created_at": self.created_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class PromptScore:
    """How one text did: the mean of its cases' scores. `results` are these scores by case."""

    id: str
    name: str
    hash: str
    suite: str
    model: str
    score: float
    at: datetime
    results: Mapping[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0
    tokens: int = 0

    @property
    def cases(self) -> int:
        return len(self.results)

    def to_json(self) -> JsonObject:
        results: dict[str, Json] = dict(self.results)
        return {
            "suite": self.suite,
            "model": self.model,
            "score": self.score,
            "cases": self.cases,
            "at": self.at.isoformat(),
            "seconds": self.seconds,
            "tokens": self.tokens,
            "results": results,
        }
