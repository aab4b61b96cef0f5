"""Library tools and the doors into the engine, as MCP describes them."""

from typing import Any

import mcp_types as types

from hammerstone.core.tools import Effect, Tool

ASK = "ask"
BUILD = "build_tool"
SEARCH = "search_tools"
FEEDBACK = "feedback"
RESERVED = (ASK, BUILD, SEARCH, FEEDBACK)


_PREFIX = "library_"


def offered_name(tool: Tool) -> str:
    """The tool's own name, unless one of ours is called like that."""
    return _PREFIX + tool.name if tool.name in RESERVED else tool.name


def library_name(offered: str) -> str:
    """The library's name of what is offered under this one; empty for a door."""
    own = offered.removeprefix(_PREFIX)
    if offered in RESERVED:
        return ""
    return own if own in RESERVED else offered


def offer(tool: Tool) -> types.Tool:
    """A library tool with its schemas; its effect tells the client whether to ask first."""
    spec = tool.version.spec
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **spec.parameters}
    sure = f" ({tool.chance:.0%} sure)" if tool.chance is not None else ""
    return types.Tool(
        name=offered_name(tool),
        title=tool.name.replace("_", " "),
        description=spec.description,
        input_schema=parameters,
        output_schema={
            "type": "object",
            "properties": {"result": dict(spec.returns)},
            "required": ["result"],
        },
        annotations=types.ToolAnnotations(
            title=f"{tool.name} v{tool.version.number}, {tool.status}{sure}",
            read_only_hint=spec.effect is not Effect.WRITES,
            destructive_hint=spec.effect is Effect.WRITES,
            idempotent_hint=spec.effect is Effect.PURE,
            open_world_hint=False,
        ),
    )


def doors() -> list[types.Tool]:
    """Asking, building, searching and judging: what a client does beside calling tools."""
    session = {"type": "string", "description": "go on in this session", "maxLength": 100}
    asking = types.Tool(
        name=ASK,
        title="Ask Hammerstone",
        description=(
            "Answer a request in plain language with a tool from the library; if none fits, one "
            "is built, proved in a sandbox and kept. Building takes about a minute."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "request": {"type": "string", "description": "what you want", "minLength": 1},
                "session": session,
            },
            "required": ["request"],
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        ),
    )
    building = types.Tool(
        name=BUILD,
        title="Build a tool",
        description=(
            "Build, prove and keep a new tool from a description of what it computes, with an "
            "example if there is one. It appears in this list once it is verified."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "description": {
                    "type": "string",
                    "description": "what the tool takes and what it gives",
                    "minLength": 1,
                },
                "session": session,
            },
            "required": ["description"],
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        ),
    )
    return [asking, building, _search_door(), _feedback_door(session)]


def _search_door() -> types.Tool:
    return types.Tool(
        name=SEARCH,
        title="Search the library",
        description=(
            "What a request would find: tools with how likely the best one fits, and the plan "
            "that `ask` would carry out. Nothing is run and no model is asked."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "request": {"type": "string", "description": "what you want", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            },
            "required": ["request"],
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, open_world_hint=False
        ),
    )


def _feedback_door(session: dict[str, Any]) -> types.Tool:
    return types.Tool(
        name=FEEDBACK,
        title="Say whether an answer is right",
        description=(
            "Tell what the person thinks of an answer: right, or wrong with the right value if it "
            "is known. The value becomes a test of the tool behind the answer, and a repair "
            "starts with it."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "right": {"type": "boolean", "description": "whether the answer is right"},
                "expected": {
                    "description": "the right value, if the answer is wrong and it is known"
                },
                "run": {"type": "string", "description": "the answer's run_id; else the last one"},
                "session": session,
            },
            "required": ["right"],
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        ),
    )
