"""The steps of a trace in a few plain words: what each was for, what it cost, and what the run was
done with."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from hammerstone.core.formatting import count as counted
from hammerstone.core.formatting import shortened
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.run_record import RunRecord, SentPrompt
from hammerstone.library.policies import PROMPT
from hammerstone.storage import SpanRow
from hammerstone.tracing import genai
from hammerstone.tracing.measure import number_of

# Calls of models that come in numbers: each is one of several.
_NUMBERED = {
    "solution": ("solution", "solutions"),
    "solution repair": ("second try at a solution", "second tries at solutions"),
    "tests": ("test author", "test authors"),
    "code": ("program", "programs"),
    "repair": ("second try at a program", "second tries at programs"),
    "fix": ("fix", "fixes"),
}
_PURPOSES = {
    "adjudicate": "judging a disagreement",
    "arguments": "reading the arguments",
    "connector": "choosing a service",
    "description": "describing the tool",
    "foretell": "working out the expected result without code",
    "kind": "finding out what kind of request it is",
    "plain": "answering plainly, for comparison",
    "response": "writing the answer",
    "skill description": "describing the skill",
    "skill input": "reading the input of the skill",
    "summary": "summing up the conversation",
}
_STEPS = {
    "ask": "the request",
    "prove": "the proof of the tool",
    "recall": "looking in earlier conversations",
    "enrich": "adding what is known about you",
    "search tools": "searching the library",
    "search skills": "searching the skills",
    "find duplicate": "looking for an equal tool",
    "find path": "looking for a way from tool to tool",
    "find a fix": "looking for a fix",
    "mine patterns": "looking for repeated steps",
    "regression wall": "running all earlier tests again",
    "matrix": "comparing programs",
}
# Spans named `VERB NAME`.
_VERBS = {
    "examine": "examining {}",
    "leave": "asking for permission to run {}",
    "gate": "deciding about a change: {}",
    "mend": "repairing {}",
    "compose": "joining {} into one tool",
    "connector": "asking the service {}",
    "skill": "skill {}",
}
_WATCH = "hammerstone_watch"  # the function that runs a solution and notes the calls it makes
ABOUT_CHARS = 160


@dataclass(frozen=True, slots=True)
class TraceCost:
    """`model_calls` counts samples: one question that is asked four times is four calls."""

    model_calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    usd: float = 0.0

    def __add__(self, other: "TraceCost") -> "TraceCost":
        return TraceCost(
            self.model_calls + other.model_calls,
            self.tokens_in + other.tokens_in,
            self.tokens_cached + other.tokens_cached,
            self.tokens_out + other.tokens_out,
            self.usd + other.usd,
        )

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def to_json(self) -> JsonObject:
        return {**asdict(self), "tokens": self.tokens}


def span_cost(span: SpanRow) -> TraceCost:
    """What one call of a model says that it cost; nothing for any other step."""
    if span.kind != "model":
        return TraceCost()
    about = span.attributes
    return TraceCost(
        model_calls=int(number_of(about, genai.CALLS, number_of(about, genai.CHOICES, 1))),
        tokens_in=int(number_of(about, genai.INPUT_TOKENS)),
        tokens_cached=int(number_of(about, genai.CACHED_TOKENS)),
        tokens_out=int(number_of(about, genai.OUTPUT_TOKENS)),
        usd=number_of(about, genai.PRICE_USD),
    )


def cost_of(spans: Sequence[SpanRow]) -> TraceCost:
    """What all of it cost. A retry and the call inside it are one call: the outer has the sum."""
    return total(span_cost(span) for span in outer_calls(spans))


def outer_calls(spans: Sequence[SpanRow]) -> list[SpanRow]:
    """The calls of models that are not part of another one, in order."""
    kinds = {span.id: span.kind for span in spans}
    return [s for s in spans if s.kind == "model" and kinds.get(s.parent_id or "") != "model"]


def total(costs: Iterable[TraceCost]) -> TraceCost:
    return sum(costs, TraceCost())


@dataclass(frozen=True, slots=True)
class StepTitle:
    """What one step was for; steps with the same `group` may stand in one row of that name."""

    text: str
    group: str


def titles(spans: Sequence[SpanRow]) -> dict[str, StepTitle]:
    """What each span was for, by its id; calls of models are numbered within the trace."""
    outer = {span.id for span in outer_calls(spans)}
    all_of = Counter[str]()
    for span in spans:
        if span.id in outer:
            all_of[_purpose(span)] += _samples(span)
    reached, found = Counter[str](), dict[str, StepTitle]()
    for span in spans:
        if span.kind != "model":
            text = _title(span)
            found[span.id] = StepTitle(text, "sandbox" if span.kind == "sandbox" else text)
        elif span.id not in outer:
            found[span.id] = StepTitle(f"try with {_model(span)}", "tries")
        else:
            purpose, count = _purpose(span), _samples(span)
            found[span.id] = _call_title(span, reached[purpose], count, all_of[purpose])
            reached[purpose] += count
    return found


def _call_title(span: SpanRow, before: int, count: int, of: int) -> StepTitle:
    purpose, part = _purpose(span), span.attributes.get(genai.PART)
    if (names := _NUMBERED.get(purpose)) is None:
        text = _PURPOSES.get(purpose) or purpose or f"call of {_model(span)}"
        return StepTitle(text, text)
    one, several = names
    if of == 1:
        which = one
    elif count == 1:
        which = f"{one} {before + 1} of {of}"
    else:
        which = f"{several} {before + 1} to {before + count} of {of}"
    return StepTitle(f"{which} ({part})" if part else which, several)


def _title(span: SpanRow) -> str:
    if (tool := span.attributes.get(genai.TOOL_NAME)) is not None:
        return f"tool {tool}"
    if span.kind == "sandbox" and (words := _sandbox_title(span)):
        return words
    if span.name in _STEPS:
        return _STEPS[span.name]
    verb, _, rest = span.name.partition(" ")
    return _VERBS[verb].format(rest) if rest and verb in _VERBS else span.name


def _sandbox_title(span: SpanRow) -> str:
    function = span.attributes.get("sandbox.function")
    if function == _WATCH:
        return "watching which calls a solution makes"
    if isinstance(function, str):
        return f"running {function}"
    programs = int(number_of(span.attributes, "sandbox.programs"))
    calls = int(number_of(span.attributes, "sandbox.calls"))
    if not programs:
        return ""
    return f"running {counted(programs, 'program')} on {counted(calls, 'input')}"


def about(span: SpanRow) -> str:
    """What went in and what came out, on one line; for a model, which one it was."""
    if span.kind == "model":
        return _model(span)
    given, came = brief(span.input), brief(span.output)
    return shortened(f"{given} → {came}" if given and came else given or came, ABOUT_CHARS)


def brief(value: Json) -> str:
    """A value on one line, shortened; a call's parts without what is empty."""
    if value is None or value == {} or value == []:
        return ""
    if isinstance(value, dict) and set(value) == {"args", "kwargs"}:
        return brief(value["kwargs"]) if not value["args"] else brief(value["args"])
    if isinstance(value, dict) and isinstance(
        said := value.get("text") or value.get("reason"), str
    ):
        return brief(said)  # an answer or the result of a proof: what it says to a person
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(text[: 4 * ABOUT_CHARS], ABOUT_CHARS)


def _purpose(span: SpanRow) -> str:
    said = span.attributes.get(genai.PURPOSE)
    return said if isinstance(said, str) else ""


def _model(span: SpanRow) -> str:
    said = span.attributes.get(genai.REQUEST_MODEL)
    return said if isinstance(said, str) else "a model"


def _samples(span: SpanRow) -> int:
    return max(1, int(number_of(span.attributes, genai.CHOICES, 1)))


def record_words(record: RunRecord) -> list[str]:
    """The lines below a trace: how it was answered, by whom, with which versions."""
    how = record.strategy or record.kind or "not known"
    lines = [f"answered as: {how}{', from the cache' if record.cached else ''}"]
    if record.tools:
        lines.append("tools: " + ", ".join(dict.fromkeys(tool.name for tool in record.tools)))
    if record.models:
        lines.append("models: " + ", ".join(record.models))
    if record.prompts:
        told = [_prompt(name, one) for name, one in sorted(record.prompts.items())]
        lines.append("prompts: " + ", ".join(told))
    changed = {
        name: number for name, number in record.policies.items() if not name.startswith(PROMPT)
    }
    if changed:
        told = [f"{name} {number}" for name, number in sorted(changed.items())]
        lines.append("policies that were changed, with their version: " + ", ".join(told))
    lines += [
        f"experiment {experiment}: variant {variant}"
        for experiment, variant in sorted(record.variants.items())
    ]
    return lines


def _prompt(name: str, one: SentPrompt) -> str:
    own = f", your own text {one.round}" if one.round else ""
    return f"{name} (version {one.version}{own})"
