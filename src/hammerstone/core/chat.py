"""What is said to a model and what comes back."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from hammerstone.core.json_types import JsonSchema


class Role(StrEnum):
    """Which job a model is called for; each may have its own model."""

    PLANNER = "planner"
    CODER = "coder"
    TESTER = "tester"
    JUDGE = "judge"
    RESPONDER = "responder"


@dataclass(frozen=True, slots=True)
class Message:
    author: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question to a model, asked `samples` times.

    With `schema` every sample's text is JSON that the schema accepts. Keep what prompts share
    at their beginning: the local model reuses what it has already read.
    """

    messages: tuple[Message, ...]
    schema: JsonSchema | None = None
    max_tokens: int = 512
    temperature: float = 0.0
    samples: int = 1
    seed: int | None = None
    stop: tuple[str, ...] = ()
    purpose: str = ""  # for traces: "spec", "tests", "code", "arguments", ...
    part: str = ""  # for traces: which of several with this purpose, such as a test author's role

    @staticmethod
    def of(system: str, user: str, **options: object) -> "Prompt":
        messages = (Message("system", system), Message("user", user))
        return Prompt(messages=messages, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost. `cached_tokens` are those of `prompt_tokens` that were not read anew."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    calls: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that count against a budget."""
        return self.prompt_tokens - self.cached_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.usd + other.usd,
            self.seconds + other.seconds,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Sample:
    text: str
    finish: Literal["stop", "length"] = "stop"


@dataclass(frozen=True, slots=True)
class Reply:
    """`samples` is as long as the prompt asked for; each sample counts as one call in `usage`."""

    samples: tuple[Sample, ...]
    usage: Usage
    model: str

    @property
    def text(self) -> str:
        return self.samples[0].text


OnToken: TypeAlias = Callable[[int, str], None]
"""Called with the sample's index and the new piece of text, while the model writes."""
