"""Traces: their tree, what survives which ending, and what reaches the exporters."""

import asyncio
import re
from datetime import UTC, datetime

import pytest

from hammerstone.core.json_types import Json
from hammerstone.tracing import FinishedTrace, SpanStatus, TraceLimits, Tracer, current_span, span
from hammerstone.tracing.scrub import Scrubber


class Kept:
    def __init__(self) -> None:
        self.traces: list[FinishedTrace] = []
        self.closed = False

    async def export(self, trace: FinishedTrace) -> None:
        await asyncio.sleep(0)
        self.traces.append(trace)

    async def close(self) -> None:
        self.closed = True


class Broken(Kept):
    async def export(self, trace: FinishedTrace) -> None:
        raise OSError("the disk is full")


class SteppedClock:
    """Each reading of the monotonic clock is one second later than the one before."""

    def __init__(self) -> None:
        self.readings = 0

    def now(self) -> datetime:
        return datetime(2030, 1, 1, tzinfo=UTC)

    def elapsed_s(self) -> float:
        self.readings += 1
        return float(self.readings)


def as_is(value: Json) -> Json:
    return value


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def tracer(kept: Kept) -> Tracer:
    return Tracer([kept], as_is)


async def test_a_trace_carries_who_what_and_its_tree_of_spans(tracer: Tracer, kept: Kept) -> None:
    async with tracer.trace(
        "ask", user="ada", session_id="s1", run_id="r1", input="What is 2+2?"
    ) as root:
        with span("plan", kind="step") as plan:
            with span("chat qwen", kind="model", input={"q": 1}, attributes={"a": 1}) as chat:
                chat.output = {"text": "4"}
                chat.set("gen_ai.usage.input_tokens", 12)
            assert current_span() is plan
        root.output = "4"
    assert current_span() is None

    (trace,) = kept.traces
    assert (trace.user, trace.session_id, trace.run_id) == ("ada", "s1", "r1")
    assert (trace.input, trace.output, trace.status) == ("What is 2+2?", "4", SpanStatus.SUCCESS)
    assert trace.iterations == 1
    assert [s.name for s in trace.spans] == ["ask", "plan", "chat qwen"]
    ask, plan_span, chat_span = trace.spans
    assert (ask.parent_id, plan_span.parent_id) == (None, ask.span_id)
    assert chat_span.parent_id == plan_span.span_id
    assert chat_span.attributes == {"a": 1, "gen_ai.usage.input_tokens": 12}
    assert (chat_span.input, chat_span.output) == ({"q": 1}, {"text": "4"})
    assert re.fullmatch("[0-9a-f]{32}", trace.trace_id)
    assert all(re.fullmatch("[0-9a-f]{16}", s.span_id) for s in trace.spans)
    assert len({s.span_id for s in trace.spans}) == 3


async def test_children_in_tasks_and_threads_find_their_own_parent(
    tracer: Tracer, kept: Kept
) -> None:
    def in_thread(name: str) -> None:
        with span(f"thread of {name}", kind="sandbox"):
            pass

    async def work(name: str) -> None:
        with span(name, kind="step"):
            await asyncio.sleep(0.001)
            with span(f"child of {name}", kind="tool"):
                await asyncio.sleep(0.001)
            await asyncio.to_thread(in_thread, name)

    async with tracer.trace("ask") as root:
        await asyncio.gather(*(work(str(i)) for i in range(20)))
    (trace,) = kept.traces
    by_name = {s.name: s for s in trace.spans}
    assert len(by_name) == 61
    for i in range(20):
        assert by_name[str(i)].parent_id == root.span_id
        assert by_name[f"child of {i}"].parent_id == by_name[str(i)].span_id
        assert by_name[f"thread of {i}"].parent_id == by_name[str(i)].span_id


async def test_two_traces_at_once_do_not_mix(tracer: Tracer, kept: Kept) -> None:
    async def ask(name: str) -> None:
        async with tracer.trace(name):
            for _ in range(5):
                with span(f"step of {name}", kind="step"):
                    await asyncio.sleep(0)

    await asyncio.gather(ask("a"), ask("b"), ask("c"))
    for trace in kept.traces:
        assert {s.name for s in trace.spans} == {trace.name, f"step of {trace.name}"}
        assert {s.trace_id for s in trace.spans} == {trace.trace_id}
    assert len({t.trace_id for t in kept.traces}) == 3


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("no"), SpanStatus.ERROR),
        (TimeoutError("late"), SpanStatus.TIMEOUT),
        (KeyboardInterrupt(), SpanStatus.ERROR),
        (SystemExit(3), SpanStatus.ERROR),
    ],
)
def test_whatever_leaves_the_block_the_trace_is_exported(
    tracer: Tracer, kept: Kept, error: BaseException, status: SpanStatus
) -> None:
    with pytest.raises(type(error)), tracer.trace("ask"), span("step", kind="step"):
        raise error
    (trace,) = kept.traces
    assert [s.status for s in trace.spans] == [status, status]
    assert trace.error is not None and trace.error.startswith(type(error).__name__)


async def test_a_timeout_behind_another_error_is_a_timeout(tracer: Tracer, kept: Kept) -> None:
    with pytest.raises(RuntimeError):
        async with tracer.trace("ask"):
            try:
                raise TimeoutError("60 s")
            except TimeoutError as error:
                raise RuntimeError("model unavailable") from error
    assert kept.traces[0].status is SpanStatus.TIMEOUT


async def test_a_cancelled_request_keeps_its_trace(kept: Kept) -> None:
    class Slow(Kept):
        async def export(self, trace: FinishedTrace) -> None:
            await asyncio.sleep(0.02)
            self.traces.append(trace)

    slow = Slow()
    tracer = Tracer([slow], as_is)
    entered = asyncio.Event()

    async def ask() -> None:
        async with tracer.trace("ask"):
            entered.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(ask())
    await entered.wait()
    task.cancel()
    await asyncio.sleep(0.001)
    task.cancel()  # impatient: the second one arrives while the export is under way
    with pytest.raises(asyncio.CancelledError):
        await task
    await tracer.close()
    assert [t.error for t in slow.traces] == ["Cancelled"]
    assert slow.closed


async def test_a_recovered_error_does_not_fail_the_trace(tracer: Tracer, kept: Kept) -> None:
    async with tracer.trace("ask"):
        with span("execute_tool t", kind="tool") as tool:
            tool.fail("division by zero")
        with span("execute_tool u", kind="tool") as slow:
            slow.fail("30 s", timeout=True)
    (trace,) = kept.traces
    assert trace.status is SpanStatus.SUCCESS
    assert [(s.status, s.error) for s in trace.spans[1:]] == [
        (SpanStatus.ERROR, "division by zero"),
        (SpanStatus.TIMEOUT, "30 s"),
    ]


async def test_a_broken_exporter_or_observer_harms_neither_request_nor_the_others(
    kept: Kept,
) -> None:
    def bad_observer(trace: FinishedTrace) -> None:
        raise RuntimeError("no")

    tracer = Tracer([Broken(), kept], as_is)
    tracer.observe(bad_observer)
    async with tracer.trace("ask") as root:
        root.output = 1
    assert len(kept.traces) == 1
    assert tracer.failed_exports == 1


async def test_the_policy_decides_on_successes_only_and_observers_see_all(kept: Kept) -> None:
    seen: list[str] = []
    tracer = Tracer([kept], as_is, keep=lambda trace: False)
    tracer.observe(lambda trace: seen.append(trace.name))
    async with tracer.trace("fine"):
        pass
    with pytest.raises(ValueError, match="no"):
        async with tracer.trace("bad"):
            raise ValueError("no")
    assert [t.name for t in kept.traces] == ["bad"]
    assert seen == ["fine", "bad"]


async def test_values_are_copied_when_they_are_given(tracer: Tracer, kept: Kept) -> None:
    given = {"rows": [1, 2]}
    made: list[int] = []
    async with tracer.trace("ask"):
        with span("step", kind="step", input=given) as step:
            given["rows"].append(3)
            step.output = made
        made.append(1)
    step_span = kept.traces[0].spans[1]
    assert (step_span.input, step_span.output) == ({"rows": [1, 2]}, [])


async def test_times_come_from_the_clock(kept: Kept) -> None:
    tracer = Tracer([kept], as_is, SteppedClock())
    async with tracer.trace("ask"):
        with span("step", kind="step"):
            pass
    root, step = kept.traces[0].spans
    # Readings: 1 start of the trace, 2 root opens, 3 and 4 step opens and closes, 5 root closes.
    assert (root.duration_s, step.duration_s) == (3.0, 1.0)
    assert (step.started_at - root.started_at).total_seconds() == 1.0
    assert kept.traces[0].started_at == datetime(2030, 1, 1, tzinfo=UTC)


async def test_a_span_still_open_at_the_end_says_so_and_a_late_one_is_not_added(
    tracer: Tracer, kept: Kept
) -> None:
    go = asyncio.Event()

    async def background() -> None:
        with span("background", kind="step") as step:
            await go.wait()
            step.output = "too late"
            with span("late", kind="tool"):
                pass

    async with tracer.trace("ask"):
        task = asyncio.create_task(background())
        await asyncio.sleep(0)
    go.set()
    await task
    (trace,) = kept.traces
    assert [s.name for s in trace.spans] == ["ask", "background"]
    assert trace.spans[1].attributes == {"hammerstone.unfinished": True}
    assert trace.spans[1].output is None


async def test_a_trace_inside_a_trace_is_its_own_and_names_its_cause(
    tracer: Tracer, kept: Kept
) -> None:
    async with tracer.trace("ask") as root:
        async with tracer.trace("learn") as job:
            assert current_span() is job
        assert current_span() is root
    learn, ask = kept.traces
    assert learn.trace_id != ask.trace_id
    assert learn.metadata["hammerstone.caused_by"] == ask.trace_id


async def test_caps_bound_values_spans_and_the_whole_trace(kept: Kept) -> None:
    tracer = Tracer([kept], as_is, caps=TraceLimits(value_chars=1_000, trace_chars=5_000, spans=11))
    async with tracer.trace("ask", input="x" * 5_000_000):
        for _ in range(20):
            with span("step", kind="step", input={"rows": list(range(100_000))}):
                pass
    (trace,) = kept.traces
    assert len(str(trace.input)) <= 1_100
    assert str(trace.input).endswith("[cut]")
    assert len(trace.spans) == 11
    assert trace.dropped_spans == 10
    assert sum(len(str(s.input)) for s in trace.spans) < 12_000
    assert trace.spans[-1].input == "[left out: the trace is too large]"


async def test_everything_is_scrubbed_before_it_leaves(kept: Kept) -> None:
    def hide(value: Json) -> Json:
        if isinstance(value, str):
            return value.replace("hunter2", "[secret]")
        if isinstance(value, dict):
            return {str(hide(k)): hide(v) for k, v in value.items()}
        return [hide(v) for v in value] if isinstance(value, list) else value

    tracer = Tracer([kept], hide)
    with pytest.raises(ValueError, match="hunter2"):
        async with tracer.trace("ask hunter2", input={"hunter2": ["hunter2"]}) as root:
            root.set("note", "hunter2")
            with span("s hunter2", kind="step") as step:
                step.output = "hunter2"
            raise ValueError("hunter2")
    assert "hunter2" not in repr(kept.traces)
    assert repr(kept.traces).count("[secret]") >= 8


def test_without_a_trace_a_span_is_inert() -> None:
    with span("chat", kind="model", input={"a": object()}) as inert:
        inert.output = "x"
        inert.set("k", 1)
        assert current_span() is None
        assert not inert.recording
        assert inert.trace_id == ""
    with pytest.raises(ValueError, match="no"), span("chat", kind="model") as failed:
        raise ValueError("no")
    assert failed.error == "ValueError: no"


async def test_a_generator_closed_elsewhere_does_not_break_the_tree(
    tracer: Tracer, kept: Kept
) -> None:
    async def stream():  # type: ignore[no-untyped-def]
        with span("stream", kind="model"):
            yield 1
            yield 2

    async with tracer.trace("ask") as root:
        generator = stream()
        await asyncio.create_task(anext(generator))
        await generator.aclose()
        with span("after", kind="step") as after:
            pass
        assert after.parent_id == root.span_id
    assert kept.traces[0].spans[1].name == "stream"


async def test_the_session_of_a_trace_is_shown_and_other_peoples_keys_are_not(kept: Kept) -> None:
    session, stranger = "5f05381a03674885afc4d9afdcf70d59", "9c1d381a03674885afc4d9afdcf70e11"
    async with Tracer([kept], Scrubber()).trace("ask", session_id=session) as root:
        root.output = {
            "session_id": session,
            "answers": [{"session_id": stranger, "api_key": "sk-proj-" + "a1B2" * 8}],
            "password": session,
        }
    (trace,) = kept.traces
    assert trace.output == {
        "session_id": session,
        "answers": [{"session_id": "[secret]", "api_key": "[api-key]"}],
        "password": "[password]",
    }
