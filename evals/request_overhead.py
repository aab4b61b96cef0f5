"""What a request costs beside the model: one tool reused, repeated, and 200 sessions at once.

    python -m evals.request_overhead [--set instant|quick|full] [--json]

The model is scripted and instant, the embedder, the sandbox and the database are real. In the
same run, taking turns: the embedding and one warm sandbox call alone (the floor), the whole
request, what it consists of by its own trace, how many statements the database was asked before
the answer, and the same job (choose the tool, call it in the same sandbox, answer) by a bare
pydantic-ai agent and by LangGraph, neither of which searches, checks or records anything.
Targets: at most 1.5 x the floor, a repeated request under 3 ms, 200 sessions without an error.
"""

import asyncio
import operator
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from sqlalchemy import event

from evals.conversations import Bench, register
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call, Program
from hammerstone.core.settings import load_settings
from hammerstone.core.tools import Spec
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)

CODE = """\
def prime_factors(number: int) -> list[int]:
    found = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found + [number] if number > 1 else found
"""
SPEC = Spec(
    name="prime_factors",
    description="The prime factors of a whole number: 60 is 2 * 2 * 3 * 5.",
    parameters={
        "type": "object",
        "properties": {"number": {"type": "integer", "description": "the number to factor"}},
        "required": ["number"],
        "additionalProperties": False,
    },
    returns={"type": "array", "items": {"type": "integer"}},
)
PROGRAM = Program(CODE, "prime_factors")


READINGS = (
    Reading("request_to_floor", "a request beside embedding and one call", "ratio", 1.5),
    Reading(
        "request_p50_ms",
        "a request that reuses a tool",
        baseline="floor_p50_ms",
        beside="embedding and one call",
    ),
    Reading("pydantic_ai_p50_ms", "the same call by pydantic-ai"),
    Reading("langgraph_p50_ms", "the same call by LangGraph"),
    Reading("repeated_p50_ms", "a repeated request", target=3.0),
    Reading("request_statements", "statements to the database", "count"),
    Reading("sessions_errors", "errors of many sessions at once", "count", 0),
    Reading("sessions_seconds", "all these sessions", "s"),
)


def request(number: int) -> str:
    return f"What are the prime factors of {number}?"


class Job:
    """The parts that every way of doing the job shares."""

    def __init__(self, hs: Hammerstone) -> None:
        self.hs = hs
        self.services = hs._wiring.services
        self.embedder = hs._wiring.embedder
        self.spent: defaultdict[str, list[float]] = defaultdict(list)  # by part
        self._statements = 0
        event.listen(
            self.services.records.db.engine.sync_engine, "before_cursor_execute", self._count
        )

    def _count(self, *_: Any) -> None:
        self._statements += 1

    async def call(self, number: int) -> Any:
        sandbox = await self.services.workshop.sandbox()
        return (await sandbox.call(PROGRAM, Call(kwargs={"number": number}))).value

    async def floor(self, number: int) -> None:
        assert self.embedder is not None
        began = time.perf_counter()
        await self.embedder.embed([request(number)])
        embedded = time.perf_counter()
        await self.call(number)
        self.spent["floor_embedding"].append((embedded - began) * 1000)
        self.spent["floor_sandbox"].append((time.perf_counter() - embedded) * 1000)

    async def ours(self, number: int) -> None:
        before, worked = self._statements, time.process_time()
        answer = await self.hs.ask(request(number), session=f"s{number}")
        self.spent["request_processor"].append((time.process_time() - worked) * 1000)
        self.spent["request_statements"].append(self._statements - before)
        self.last = answer.trace_id
        assert answer.tool == "prime_factors" and not answer.cached, answer
        assert answer.cost.model_calls == 0, answer

    async def look_at_parts(self) -> None:
        """Where the last request spent its time, by its trace."""
        _, spans = await self.hs.traces.get(self.last)
        known = {"search tools": "search", "execute_tool prime_factors": "call"}
        for span in spans:
            if span.name in known:
                self.spent[f"request_{known[span.name]}"].append(span.duration_s * 1000)

    async def repeated(self, _: int) -> None:
        answer = await self.hs.ask(request(30030))
        assert answer.cached and answer.result == [2, 3, 5, 7, 11, 13]


def pydantic_way(job: Job) -> Callable[[int], Awaitable[None]]:
    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            number = int(str(messages[0].parts[-1].content).rstrip("?").split()[-1])
            return ModelResponse([ToolCallPart("prime_factors", {"number": number})])
        return ModelResponse([TextPart(str(messages[-1].parts[-1].content))])

    agent = Agent(FunctionModel(reply))

    @agent.tool_plain
    async def prime_factors(number: int) -> list[int]:
        return await job.call(number)

    async def once(number: int) -> None:
        assert (await agent.run(request(number))).output

    return once


class State(TypedDict):
    messages: Annotated[list[str], operator.add]


def langgraph_way(job: Job) -> Callable[[int], Awaitable[None]]:
    async def model(state: State) -> dict[str, list[str]]:
        said = state["messages"]
        return {"messages": ["call" if len(said) == 1 else said[-1]]}

    async def tool(state: State) -> dict[str, list[str]]:
        number = int(state["messages"][0].rstrip("?").split()[-1])
        return {"messages": [str(await job.call(number))]}

    def onward(state: State) -> str:
        return "tool" if state["messages"][-1] == "call" else END

    graph = StateGraph(State)
    graph.add_node("model", model)
    graph.add_node("tool", tool)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", onward)
    graph.add_edge("tool", "model")
    app = graph.compile()

    async def once(number: int) -> None:
        assert (await app.ainvoke({"messages": [request(number)]}))["messages"]

    return once


async def timed(way: Callable[[int], Awaitable[None]], number: int) -> float:
    began = time.perf_counter()
    await way(number)
    return (time.perf_counter() - began) * 1000


async def crowd(job: Job, sessions: int) -> tuple[int, float]:
    """Errors among many sessions at once, and seconds for all of them."""
    began = time.perf_counter()
    asked = (job.ours(1_000_000 + number) for number in range(sessions))
    done = await asyncio.gather(*asked, return_exceptions=True)
    return sum(isinstance(each, BaseException) for each in done), time.perf_counter() - began


async def measure(times: int, sessions: int) -> dict[str, float]:
    bench = Bench(True, load_settings())
    with tempfile.TemporaryDirectory() as folder:
        async with bench.engine(Path(folder)) as hs:
            await register(hs, SPEC, CODE)
            # What a reuse costs is measured, not whether the tool is found to fit.
            sure = {"high": 0.3, "middle": 0.3}
            await hs.policies.change("fit", sure, who="evaluation", why="one tool, and it fits")
            job = Job(hs)
            ways = {
                "floor": job.floor,
                "request": job.ours,
                "repeated": job.repeated,
                "pydantic_ai": pydantic_way(job),
                "langgraph": langgraph_way(job),
            }
            await hs.ask(request(30030))
            taken: dict[str, list[float]] = {name: [] for name in ways}
            for number in range(times + 5):
                for place, (name, way) in enumerate(ways.items(), 1):
                    await hs.traces.list(limit=1)  # what went before is recorded by now
                    # A number of its own: no way profits from a text that another one embedded.
                    spent = await timed(way, 10_000 * place + number)
                    if number >= 5:  # the first ones warm the sandbox's slots up
                        taken[name].append(spent)
                await job.look_at_parts()
            parts = {name: statistics.median(each[5:]) for name, each in job.spent.items()}
            errors, seconds = await crowd(job, sessions)
    result = {f"{name}_p50_ms": statistics.median(each) for name, each in taken.items()}
    for name, each in parts.items():
        result[name if name.endswith("statements") else f"{name}_p50_ms"] = each
    result["repeated_p95_ms"] = statistics.quantiles(taken["repeated"], n=20)[-1]
    result["request_to_floor"] = result["request_p50_ms"] / result["floor_p50_ms"]
    result["sessions"] = sessions
    result["sessions_errors"] = errors
    result["sessions_seconds"] = seconds
    return result


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """A reused tool beside the floor and two frameworks, then many sessions at once."""
    times, sessions = amount(context, instant=(15, 30), quick=(30, 100), full=(60, 200))

    async def once() -> dict[str, float]:
        return await own_process(measure, times=times, sessions=sessions)

    async for finding in rounds(context, 1, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("request_overhead")
