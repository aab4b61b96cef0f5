"""Library tools as LangChain tools (extra `langchain`)."""

from collections.abc import Iterable
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import AnswerStatus
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.tools import Tool
from hammerstone.serve.adapters.openai import proved


async def langchain_tools(
    hs: Hammerstone, names: Iterable[str] | None = None
) -> list[StructuredTool]:
    """The proved tools for a LangChain agent; they run in the sandbox of this engine."""
    return [_tool(hs, tool) for tool in await proved(hs, names)]


def _tool(hs: Hammerstone, tool: Tool) -> StructuredTool:
    async def run(**arguments: Any) -> Any:
        try:
            answer = await hs.run_tool(tool.name, arguments)
        except HammerstoneError as error:
            raise ToolException(error.message) from error
        if answer.status is not AnswerStatus.DONE:
            raise ToolException(answer.text)
        return answer.result

    spec = tool.version.spec
    return StructuredTool(
        name=tool.name,
        description=spec.description,
        args_schema={"type": "object", "properties": {}, "title": tool.name, **spec.parameters},
        coroutine=run,
        handle_tool_error=True,
    )
