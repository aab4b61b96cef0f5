"""Library tools as LlamaIndex tools (extra `llamaindex`)."""

from collections.abc import Iterable
from typing import Any

from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel, Field, create_model

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.tools import Tool
from hammerstone.serve.adapters.openai import proved

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
}


async def llamaindex_tools(
    hs: Hammerstone, names: Iterable[str] | None = None
) -> list[FunctionTool]:
    """The proved tools for a LlamaIndex agent; they run in the sandbox of this engine."""
    return [_tool(hs, tool) for tool in await proved(hs, names)]


def _tool(hs: Hammerstone, tool: Tool) -> FunctionTool:
    async def run(**arguments: Any) -> Any:
        answer = await hs.run_tool(tool.name, arguments)
        return answer.text if answer.result is None else answer.result

    metadata = ToolMetadata(
        name=tool.name,
        description=tool.version.spec.description,
        fn_schema=_model(tool),
    )
    return FunctionTool(async_fn=run, metadata=metadata)


def _model(tool: Tool) -> type[BaseModel]:
    """A pydantic model of the parameters, which is how LlamaIndex wants a schema."""
    parameters = tool.version.spec.parameters
    properties: Any = parameters.get("properties") or {}
    required: Any = parameters.get("required") or ()
    fields: dict[str, Any] = {}
    for name, schema in properties.items():
        kind = schema.get("type") if isinstance(schema.get("type"), str) else None
        hint = _TYPES.get(kind or "", Any)
        default = ... if name in required else None
        described = Field(default, description=schema.get("description") or name)
        fields[name] = (hint if name in required else hint | None, described)
    return create_model(tool.name, **fields)
