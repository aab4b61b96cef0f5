"""A question that a tool keeps: one call, and the two results that were plausible; a value as
somebody types it, held against what the tool declares; and what came of an answer, in one
sentence."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from hammerstone.core import wire
from hammerstone.core.errors import BadRequest
from hammerstone.core.formatting import percent
from hammerstone.core.json_types import Json, JsonObject, is_collection
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Status, Tool
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import show
from hammerstone.judging.result_types import type_mismatch
from hammerstone.library.tools.sharing import USER, declared_people
from hammerstone.storage.stores.tools.questions import QuestionRow
from hammerstone.synthesis.reexamine import Reexamination

FILES = "/files/"  # in a call: it reads a file that is not here any more

LONGEST = 10_000  # characters


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What `call` of a tool should give. `own`: the person used the tool or asked for it."""

    tool: str
    version_id: str
    number: int
    call: str
    results: tuple[Json, Json]  # in wire form, the leading one first
    belief: tuple[float, float] | None  # in each of the two; None where it was not kept
    confidence: float | None
    uses: int = 0
    asked_by: str = ""  # whose request the tool was made for
    people: frozenset[str] = frozenset()  # whose values the tool is known to hold
    own: bool = False

    @property
    def text(self) -> str:
        return f"What should `{self.call}` give?"

    @property
    def choices(self) -> tuple[str, str]:
        first, second = self.results
        return show(first), show(second)

    @property
    def merit(self) -> tuple[bool, bool, float, int]:
        """What is worth most comes first in descending order.

        If the second result is the right one the tool is mended, so the chance that it is right
        rises by the belief in that result. Where no belief was kept, a tool that lacks little to
        be verified comes first, and of those the most used.
        """
        rise = self.belief[1] if self.belief else (self.confidence or 0.0)
        return self.own, self.belief is not None, rise, self.uses

    def to_json(self) -> JsonObject:
        return {
            "tool": self.tool,
            "version": self.number,
            "text": self.text,
            "call": self.call,
            "choices": [*self.choices],
            "confidence": self.confidence,
            "uses": self.uses,
            "own": self.own,
        }


def read_question(row: QuestionRow) -> OpenQuestion | None:
    """The question in a row; None for one that nobody could answer: its results were too long to
    be kept, have no form that is read back, or it is about a file."""
    call = row.question.get("call")
    results = _results(row.question)
    if not isinstance(call, str) or FILES in call or results is None:
        return None
    return OpenQuestion(
        tool=row.tool,
        version_id=row.version_id,
        number=row.number,
        call=call,
        results=results,
        belief=_belief(row.question.get("belief")),
        confidence=row.confidence,
        uses=row.uses,
        asked_by=str(row.provenance.get(USER) or ""),
        people=frozenset(declared_people(row.provenance)),
    )


def _results(question: JsonObject) -> tuple[Json, Json] | None:
    values = question.get("values")
    try:
        if isinstance(values, str):
            first, second = json.loads(values)
            return first, second
        # Questions of earlier versions hold only what people read.
        first, second = (_read(str(text)) for text in _list(question.get("results")))
        return first, second
    except (ValueError, SyntaxError, RecursionError, MemoryError, NotLiteral):
        return None


def _read(text: str) -> Any:
    return wire.encode(literal(syntax_tree(text, mode="eval").body))


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _belief(value: Json) -> tuple[float, float] | None:
    shares = [float(one) for one in _list(value) if isinstance(one, int | float)]
    return (shares[0], shares[1]) if len(shares) == 2 else None


class AnswerEffect(StrEnum):
    VERIFIED = "verified"  # the tool is verified now
    EXPERIMENTAL = "experimental"  # it gives what was said, and more is needed
    RETIRED = "retired"  # nothing that was written gives what was said
    KNOWN = "known"  # somebody said the same before
    CONTRADICTED = "contradicted"  # somebody said otherwise before: neither counts
    PUT_OFF = "put_off"  # it comes again later
    DROPPED = "dropped"  # it does not come again


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    tool: str
    effect: AnswerEffect
    text: str
    status: str = ""
    confidence: float | None = None

    def to_json(self) -> JsonObject:
        return asdict(self)


def reply_of(tool: Tool, effect: AnswerEffect, text: str) -> QuestionOutcome:
    return QuestionOutcome(tool.name, effect, text, str(tool.status), tool.confidence)


def examined_reply(done: Reexamination, code_before: str, value: Json) -> QuestionOutcome:
    """What the examination with the person's result came to."""
    tool, verdict = done.tool, done.verdict
    sure = f"{percent(verdict.confidence)} sure"
    other = tool.version.code != code_before
    if verdict.code is None or tool.status is Status.RETIRED:
        text = f"{tool.name} is not used any more: no program written for it gives {show(value)}"
        return reply_of(tool, AnswerEffect.RETIRED, f"{text} ({verdict.reason}).")
    if tool.status in (Status.VERIFIED, Status.TRUSTED):
        changed = f" and gives {show(value)} for that call" if other else ""
        text = f"{tool.name} is {tool.status} now ({sure}){changed}."
        return reply_of(tool, AnswerEffect.VERIFIED, text)
    gives = f"now gives {show(value)} for that call" if other else "gives this value"
    text = f"{tool.name} {gives} and stays {tool.status} ({sure}): {verdict.reason}."
    return reply_of(tool, AnswerEffect.EXPERIMENTAL, text)


def typed_value(text: str, returns: JsonObject, results: Sequence[Json]) -> Json:
    """The value that was typed, in wire form and in the form that the tool's results have.

    Python's and JSON's ways to write a value are understood; where a text is declared, what is
    neither is the text itself. Raises `BadRequest` for what the tool can never give.
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        raise BadRequest("that is no value", hint=_hint(results))
    mismatches: list[str] = []
    for value in _readings(text):
        known = next((one for one in results if same(decoded(one), value, loose=True)), None)
        if known is not None:
            return known
        found = wire.encode(_in_form(value, results))
        mismatch = type_mismatch(returns, found)
        if not mismatch:
            return found
        mismatches.append(mismatch)
    raise BadRequest(f"the tool does not give such a value: {mismatches[0]}", hint=_hint(results))


def _readings(text: str) -> list[Any]:
    """What the text may stand for, the likeliest first; the text itself comes last."""
    found: list[Any] = []
    try:
        found.append(literal(syntax_tree(text, mode="eval").body))
    except (ValueError, SyntaxError, RecursionError, MemoryError, NotLiteral):
        with suppress(ValueError, RecursionError):
            found.append(json.loads(text))
    return [*found, text]


def _in_form(value: Any, results: Sequence[Json]) -> Any:
    """A list where the tool gives tuples or sets is one of these."""
    kinds = {type(decoded(one)) for one in results}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind in (list, tuple, set, frozenset) and is_collection(value):
        try:
            return kind(value)  # type: ignore[misc]
        except TypeError:
            return value  # a set of what cannot be in one
    return value


def _hint(results: Sequence[Json]) -> str:
    return f"write it as it is written here: {show(results[0])}"
