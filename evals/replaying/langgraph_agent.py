"""A plain LangGraph agent beside the product: the same tools, the same recorded model, no memory.

It is the usual loop of such agents: a model node that answers with a tool call or with the answer,
and a tool node, at most `STEPS` times around. For each request it is offered the tools that the
product's own search finds first (a library of 250 does not fit into a small model's prompt) and
Python to run, which is what the product has beside its tools.
"""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from evals.replaying.bench import ReplayOutcome, Sitting, Stopwatch
from evals.replaying.stream import ReplayRequest
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Model
from hammerstone.serve.adapters.langchain import langchain_tools

STEPS = 4  # calls of the model for one request at most
OFFERED = 6  # tools in a prompt
_SYSTEM = (
    "You answer requests with tools. Reply with one line of JSON and nothing else: "
    '{"tool": NAME, "arguments": {...}} to call a tool, or {"answer": VALUE} when you know the '
    "answer. The tool python runs code that sets a variable `answer`."
)
_EXAMPLE = (
    Message("user", "Tools:\n- python(code: string): run Python\nRequest: What is 3 times 7?"),
    Message("assistant", '{"tool": "python", "arguments": {"code": "answer = 3 * 7"}}'),
    Message("user", "Result: 21"),
    Message("assistant", '{"answer": 21}'),
)


class PlainAgent:
    """The graph for one engine's tools, asked one request at a time."""

    def __init__(self, hs: Hammerstone, model: Model) -> None:
        self._hs = hs
        self._model = model

    async def ask(self, text: str) -> Any:
        """What the agent answers; None when it came to no end."""
        hits = await self._hs.search.find(text, limit=OFFERED)
        tools = [*await langchain_tools(self._hs, [hit.name for hit in hits]), self._python()]
        graph = StateGraph(MessagesState)

        async def model(state: MessagesState) -> dict[str, list[AnyMessage]]:
            return {"messages": [await self._next(state["messages"], tools)]}

        graph.add_node("model", model)
        graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
        graph.add_edge("tools", "model")
        said: list[AnyMessage] = [HumanMessage(text)]
        state = await graph.compile().ainvoke(
            {"messages": said}, {"recursion_limit": 2 * STEPS + 2}
        )
        return _value(state["messages"][-1])

    async def _next(self, said: Sequence[AnyMessage], tools: Sequence[BaseTool]) -> AIMessage:
        asked = sum(isinstance(one, AIMessage) for one in said)
        if asked >= STEPS:
            return AIMessage(json.dumps({"answer": None}))
        prompt = Prompt(tuple(_messages(said, tools)), max_tokens=300, purpose="agent")
        text = (await self._model.complete(prompt)).text
        call = _object(text)
        if "tool" not in call or not isinstance(call.get("arguments"), dict):
            return AIMessage(text)
        arguments: dict[str, Any] = call["arguments"]
        made = {"name": str(call["tool"]), "args": arguments, "id": uuid.uuid4().hex}
        return AIMessage(text, tool_calls=[made])

    def _python(self) -> BaseTool:
        async def python(code: str) -> str:
            sandbox = await self._hs._wiring.services.workshop.sandbox()  # pyright: ignore[reportPrivateUsage]
            run = f"def main():\n    names = {{}}\n    exec({code!r}, names)\n"
            run += "    return names.get('answer')\n"
            outcome = await sandbox.call(Program(run, "main"), Call(), limits=Limits(wall_s=10.0))
            return (
                json.dumps(outcome.value)
                if outcome.ok
                else f"{outcome.error_type}: {outcome.error}"
            )

        return StructuredTool.from_function(
            coroutine=python, name="python", description="run Python code that sets `answer`"
        )


def _messages(said: Sequence[AnyMessage], tools: Sequence[BaseTool]) -> list[Message]:
    told = [Message("system", _SYSTEM), *_EXAMPLE]
    for one in said:
        if isinstance(one, HumanMessage):
            offered = "\n".join(_described(tool) for tool in tools)
            told.append(Message("user", f"Tools:\n{offered}\nRequest: {one.content}"))
        elif isinstance(one, ToolMessage):
            told.append(Message("user", f"Result: {str(one.content)[:600]}"))
        else:
            told.append(Message("assistant", str(one.content)))
    return told


def _described(tool: BaseTool) -> str:
    schema: Any = tool.args_schema if isinstance(tool.args_schema, dict) else {}
    known = schema.get("properties") or {"code": {"type": "string"}}
    takes = ", ".join(f"{name}: {one.get('type', 'any')}" for name, one in known.items())
    return f"- {tool.name}({takes}): {tool.description[:200]}"


def _object(text: str) -> dict[str, Any]:
    """The JSON object in a reply, wherever it stands; empty where there is none."""
    begin = text.find("{")
    if begin < 0:
        return {}
    try:
        found, _ = json.JSONDecoder().raw_decode(text[begin:])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _value(last: AnyMessage) -> Any:
    """The answer: what the object says, else the whole text."""
    text = str(last.content)
    return _object(text).get("answer", text)


async def ask_agent(sitting: Sitting, agent: PlainAgent, request: ReplayRequest) -> ReplayOutcome:
    """One request through the agent, measured as the product is."""
    sitting.bench.drawn.begin()
    sitting.inject(request)
    watch = Stopwatch(sitting.tally)
    try:
        value, told = await agent.ask(request.text), ""
    except HammerstoneError as error:
        value, told = None, f"{error.code}: {error.message}"
    waited = watch.read()
    sitting.recover()
    return ReplayOutcome(
        number=request.number,
        kind=str(request.kind),
        need=request.need,
        right=bool(sitting.bench.is_right(request.row, value)),
        answered=value is not None,
        calls=waited.calls,
        tokens=waited.tokens,
        seconds=waited.seconds,
        later_calls=0,
        later_tokens=0,
        later_seconds=0.0,
        tool="",
        strategy="agent",
        told=told or str(value)[:200],
    )
