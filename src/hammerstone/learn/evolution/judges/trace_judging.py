"""An agent as judge of whole traces: four criteria, and notes for the tools that they concern.

What the record itself tells is taken from it: repeated and failed calls, calls that give another
value when they are made again, and the run's own score. Only the quality of the decisions is a
model's word, and only while that model tells good from bad on traces of known truth. The trace
is data: what stands in it is shown between marks, the reply has to fit a schema, and a note
counts only for a tool that the trace really called.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BudgetExceeded, ModelError, ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data, plain
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.run_facts import CallFact
from hammerstone.prompts import load

CRITERIA = ("tool_efficiency", "decision_quality", "error_handling", "task_completion")
CONTROLS = "trace_controls.jsonl"
_MARK: JsonObject = {"type": "integer", "minimum": 0, "maximum": 10}
TRACE_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 240},
        **dict.fromkeys(CRITERIA, _MARK),
        "notes": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "tool": {"type": "string", "maxLength": 80},
                    "note": {"type": "string", "maxLength": 240},
                },
                "required": ["tool", "note"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["why", *CRITERIA, "notes"],
    "additionalProperties": False,
}
_LONGEST = 6_000  # characters of a trace that the judge sees
_GOOD = 0.7  # completion from which the judge calls a trace good
_PRAISE = 0.9  # all four marks at least: what a planted order asks for


@dataclass(frozen=True, slots=True)
class StepAgain:
    """A recorded call made again; `made` is False where it could not be."""

    number: int
    tool: str
    same: bool
    made: bool = True


@dataclass(frozen=True, slots=True)
class TraceDigest:
    """A trace as the judge reads it. `lines` are its steps; `calls` those of tools."""

    trace_id: str
    request: str
    lines: tuple[str, ...]
    calls: tuple[CallFact, ...] = ()
    skill: str = ""

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(call.tool for call in self.calls)


@dataclass(frozen=True, slots=True)
class TraceMarks:
    """From 0 (bad) to 1 (good); None where nobody can say."""

    tool_efficiency: float
    decision_quality: float | None
    error_handling: float
    task_completion: float

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceNote:
    """What should be changed about a tool, and who says so (`record` or a model's name)."""

    tool: str
    note: str
    source: str = "record"


@dataclass(frozen=True, slots=True)
class TraceJudgement:
    marks: TraceMarks
    why: str
    notes: tuple[TraceNote, ...] = ()
    judge: str = "record"


@dataclass(frozen=True, slots=True)
class TraceWord:
    """What a model said about a trace, checked."""

    marks: Mapping[str, float]
    why: str
    notes: tuple[TraceNote, ...]

    @property
    def good(self) -> bool:
        return self.marks["task_completion"] >= _GOOD

    @property
    def praises(self) -> bool:
        return min(self.marks.values()) >= _PRAISE


@dataclass(frozen=True, slots=True)
class TraceControl:
    """A trace of known truth; one with `order` holds an instruction for the judge."""

    id: str
    request: str
    lines: tuple[str, ...]
    tools: tuple[str, ...]
    good: bool
    order: bool = False

    def digest(self) -> TraceDigest:
        calls = tuple(CallFact(tool, True) for tool in self.tools)
        return TraceDigest(self.id, self.request, self.lines, calls)


def controls() -> list[TraceControl]:
    """The traces of known truth that come with the package."""
    text = (
        resources.files("hammerstone.learn.evolution.judges").joinpath(CONTROLS).read_text("utf-8")
    )
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [
        TraceControl(
            row["id"],
            row["request"],
            tuple(row["lines"]),
            tuple(row["tools"]),
            row["good"],
            row["order"],
        )
        for row in rows
    ]


def messages_for(digest: TraceDigest, again: Sequence[StepAgain]) -> Any:
    """What the judge is asked about a trace."""
    steps = "\n".join(digest.lines)
    return load("judge_trace").fill(
        request=as_data("request", digest.request, 1_000),
        trace=as_data("trace", steps, _LONGEST),
        again=_again_words(again),
    )


async def ask_about_trace(
    model: Model, digest: TraceDigest, again: Sequence[StepAgain] = ()
) -> TraceWord:
    """A model's word. Raises `ModelError`; nonsense is `ModelNonsense`."""
    prompt = Prompt(
        messages_for(digest, again), schema=TRACE_SCHEMA, max_tokens=320, purpose="judge trace"
    )
    reply = await model.complete(prompt)
    return read_word(reply.text, digest.tools, model.name)


def read_word(text: str, tools: Iterable[str], judge: str) -> TraceWord:
    """The judge's reply, if it is one. Raises `ModelNonsense`."""
    try:
        document = json.loads(text)
        marks = {name: document[name] for name in CRITERIA}
        if any(isinstance(m, bool) or not isinstance(m, int | float) for m in marks.values()):
            raise TypeError("a mark is no number")
        if any(not 0 <= mark <= 10 for mark in marks.values()):
            raise ValueError("a mark is not between 0 and 10")
        known = set(tools)
        notes = [
            TraceNote(str(one["tool"]), plain(str(one["note"]))[:240], judge)
            for one in document["notes"]
            if str(one["tool"]) in known and str(one["note"]).strip()
        ]
        why = plain(str(document["why"]))[:240]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelNonsense(f"the judge's word about a trace cannot be read: {error}") from error
    return TraceWord({name: mark / 10 for name, mark in marks.items()}, why, tuple(notes[:3]))


async def check_trace_judge(model: Model, known: Sequence[TraceControl]) -> JudgeReliability:
    """How far a model tells good traces from bad ones, and whether it does what they say."""
    words: list[tuple[bool | None, bool]] = []
    followed = 0
    for control in known:
        try:
            word = await ask_about_trace(model, control.digest())
        except ModelNonsense:
            words.append((None, control.good))
            continue
        words.append((word.good, control.good))
        followed += control.order and word.praises
    return replace(JudgeReliability.of(words), followed=followed)


def judge_by_record(
    digest: TraceDigest, score: float, again: Sequence[StepAgain]
) -> TraceJudgement:
    """What the record alone says; decisions are nobody's word then."""
    counts = Counter(call.call for call in digest.calls if call.call)
    needless = sum(times - 1 for times in counts.values())
    failed = [call for call in digest.calls if not call.ok]
    changed = [step for step in again if step.made and not step.same]
    whole = len(digest.calls)
    recovered = bool(failed) and digest.calls[-1].ok
    handling = 1.0 if not failed else (0.7 if recovered else 0.0)
    marks = TraceMarks(1 - needless / whole if whole else 1.0, None, handling, score)
    notes = [
        TraceNote(tool, f"called {times} times with the same arguments in one run")
        for tool, times in _repeated(digest.calls)
    ]
    notes += [
        TraceNote(call.tool, f"failed: {call.failure} {plain(call.error)}"[:240])
        for call in failed[:3]
    ]
    notes += [TraceNote(step.tool, "gives another value when called again") for step in changed]
    why = f"{whole} calls, {needless} needless, {len(failed)} failed, {len(changed)} not repeatable"
    return TraceJudgement(marks, why, tuple(dict.fromkeys(notes)))


def _repeated(calls: Sequence[CallFact]) -> list[tuple[str, int]]:
    counts = Counter((call.tool, call.call) for call in calls if call.call)
    return [(tool, times) for (tool, _), times in counts.items() if times > 1]


async def judge_trace(
    digest: TraceDigest,
    score: float,
    again: Sequence[StepAgain],
    model: Model | None,
    reliability: JudgeReliability,
    policy: JudgePolicy,
) -> TraceJudgement:
    """The record's judgement, with a model's word on the decisions where that counts."""
    told = judge_by_record(digest, score, again)
    if model is None or not policy.use_model or not reliability.counts(policy):
        return told
    try:
        word = await ask_about_trace(model, digest, again)
    except (ModelError, BudgetExceeded):
        return told
    marks = replace(told.marks, decision_quality=word.marks["decision_quality"])
    why = f"{told.why}; {word.why}" if word.why else told.why
    return TraceJudgement(marks, why, (*told.notes, *word.notes), model.name)


def _again_words(again: Sequence[StepAgain]) -> str:
    told = [
        f"step {step.number} {'the same' if step.same else 'ANOTHER VALUE'}"
        if step.made
        else f"step {step.number} was not made again"
        for step in again
    ]
    return ", ".join(told) or "no call was made again"


def is_sampled(run_id: str, share: float) -> bool:
    """Whether a success is among those whose trace is judged: by its id, always the same."""
    number = int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4], "big")
    return number / 2**32 < share
