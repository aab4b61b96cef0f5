"""A learned workflow as LangGraph code that runs by itself (extra `langgraph` to run it)."""

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.dataflow import Constant, FromStep, Source
from hammerstone.core.errors import BadRequest
from hammerstone.library.workflows import Workflow, WorkflowStep

_HEAD = '''"""{name}: {about}

Exported from Hammerstone. Run it: python {name}.py '{example}'
"""

import asyncio
import json
import sys
from typing import Any, TypedDict

from hammerstone import Hammerstone
from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    request: dict[str, Any]
{fields}


async def call(tool: str, arguments: dict[str, Any]) -> Any:
    """One tool of the library, in Hammerstone's sandbox."""
    async with Hammerstone.open() as hs:
        answer = await hs.run_tool(tool, arguments)
    if answer.status != "done":
        raise RuntimeError(answer.text)
    return answer.result

'''
_TAIL = """

def build() -> Any:
    graph = StateGraph(State)
{nodes}
    return graph.compile()


async def main(request: dict[str, Any]) -> Any:
    return (await build().ainvoke({{"request": request}}))["{last}"]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.loads(sys.argv[1]))), default=str))
"""


async def export_langgraph(hs: Hammerstone, name: str) -> str:
    """The source of a module for a composite of the library; raises `BadRequest` for a tool
    that is not made of others."""
    tool = await hs.tools.get(name)
    document = tool.version.provenance.get("composite")
    if document is None:
        raise BadRequest(
            f"{name} is one tool, not a workflow of several", hint="hammerstone ledger"
        )
    return langgraph_code(Workflow.from_json(document), tool.name, tool.version.spec.description)


def langgraph_code(workflow: Workflow, name: str, about: str) -> str:
    """One node a step, one edge a line of data; each step waits for those it reads from."""
    steps = list(enumerate(workflow.steps))
    given = ", ".join(f'"{one}": ...' for one in workflow.inputs)
    fields = "\n".join(f"    step_{number}: Any" for number, _ in steps)
    about = about.replace("\\", "/").replace('"""', "'''")
    head = _HEAD.format(name=name, about=about, example=f"{{{given}}}", fields=fields)
    nodes = "\n".join(_node(number, step) for number, step in steps)
    wiring = [f'    graph.add_node("call_{number}", call_{number})' for number, _ in steps]
    for number, step in steps:
        needs = sorted(step.needs)
        if not needs:
            wiring.append(f'    graph.add_edge(START, "call_{number}")')
        elif len(needs) == 1:
            wiring.append(f'    graph.add_edge("call_{needs[0]}", "call_{number}")')
        else:
            names = ", ".join(f'"call_{one}"' for one in needs)
            wiring.append(f'    graph.add_edge([{names}], "call_{number}")')
    ends = set(range(len(steps))).difference(*(step.needs for step in workflow.steps))
    wiring += [f'    graph.add_edge("call_{number}", END)' for number in sorted(ends)]
    last = f"step_{len(workflow.steps) - 1}"
    return head + nodes + _TAIL.format(nodes="\n".join(wiring), last=last)


def _node(number: int, step: WorkflowStep) -> str:
    lines = [f"        {name!r}: {_value(source)}," for name, source in step.arguments.items()]
    arguments = "\n".join(lines)
    return (
        f"\nasync def call_{number}(state: State) -> State:\n"
        f"    arguments = {{\n{arguments}\n    }}\n"
        f'    return {{"step_{number}": await call({step.tool!r}, arguments)}}\n'
    )


def _value(source: Source[int]) -> str:
    if isinstance(source, Constant):
        return repr(source.value)
    if isinstance(source, FromStep):
        whole = f'state["step_{source.step}"]'
    else:
        whole = f'state["request"][{source.name!r}]'
    return whole + "".join(f"[{part!r}]" for part in source.path)
