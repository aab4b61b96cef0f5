"""A run as its judges look at it: its trace, one line a step, and its calls and programs made
again."""

from collections.abc import Awaitable, Callable, Sequence

from hammerstone.app.books.tracebook import TraceBook
from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.formatting import shortened
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.trace_judging import StepAgain, TraceDigest
from hammerstone.learn.evolution.tracks.track import ModelExchange
from hammerstone.run.solve.program import read_reply
from hammerstone.storage import SpanRow

OWN_TRACES = frozenset({"evolve", "judge"})
"""Names of traces of evolution itself: it never judges its own work."""
_SHOWN = ("tool", "model", "step", "search")
_LONGEST = 160
_MOST_LINES = 60

_LIMITS = Limits(wall_s=5.0)
_MOST_PROGRAMS = 4  # programs that are run again


def digest_of(facts: RunFacts, spans: Sequence[SpanRow]) -> TraceDigest:
    """The steps of a run, the calls of tools with their arguments."""
    lines = [
        f"{number} {_line(span)}"
        for number, span in enumerate((s for s in spans if s.kind in _SHOWN), start=1)
    ][:_MOST_LINES]
    lines.append(f"{len(lines) + 1} answer {facts.given[:_LONGEST] or '(none)'}")
    return TraceDigest(facts.trace_id, facts.request, tuple(lines), facts.calls, facts.skill)


def _line(span: SpanRow) -> str:
    came = f"failed: {span.error}" if span.error else _cut(span.output)
    return f"{span.kind} {span.name}({_cut(span.input)}) -> {came}"


def _cut(value: Json) -> str:
    return "" if value is None else shortened(str(value), _LONGEST)


def exchanges_of(spans: Sequence[SpanRow]) -> tuple[ModelExchange, ...]:
    """The calls of models in a trace: what was sent, and what came back."""
    calls = [span for span in spans if span.kind == "model"]
    return tuple(ModelExchange(_said(span.input), _said(span.output)) for span in calls)


def _said(value: Json) -> tuple[str, ...]:
    """The texts of recorded messages."""
    messages = value if isinstance(value, list) else []
    return tuple(str(one.get("content") or "") for one in messages if isinstance(one, dict))


async def steps_again(traces: TraceBook, trace_id: str) -> tuple[StepAgain, ...]:
    """The recorded calls of a trace made again; nothing where that cannot be done."""
    try:
        replay = await traces.replay(trace_id)
    except HammerstoneError:
        return ()
    return tuple(StepAgain(step.number, step.tool, step.same, step.made) for step in replay.steps)


async def programs_again(facts: RunFacts, sandbox: Callable[[], Awaitable[Sandbox]]) -> bool | None:
    """Whether a program of the run, run again, gives its answer; None where that says nothing:
    no programs, no answer, a tool's answer, or programs that give nothing now."""
    if not facts.programs or not facts.answered or facts.calls or facts.tool:
        return None
    values = 0
    for source in facts.programs[:_MOST_PROGRAMS]:
        solution = read_reply(f"```python\n{source}\n```").solution
        if solution is None or solution.error:
            continue
        try:
            outcome = await (await sandbox()).call(
                Program(solution.code, solution.function),
                Call(source=solution.call),
                limits=_LIMITS,
            )
        except HammerstoneError:
            return None
        if outcome.ok:
            values += 1
            given = decoded(outcome.value)
            if same_answer(given, facts.given) or str(given) == facts.given:
                return True
    # Of many programs only the first are run: the answer may be another one's.
    return False if values and len(facts.programs) <= values else None
