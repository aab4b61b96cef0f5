"""A learned workflow, exported and run by LangGraph."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.errors import BadRequest
from hammerstone.library.workflows import Workflow, WorkflowStep
from hammerstone.serve.adapters.langgraph import export_langgraph, langgraph_code
from tests.integration.engine import Script, add_tool, scripted_engine

NUMBER: Any = {"n": {"type": "number", "description": "a number"}}
PAIR: Any = {"a": {"type": "number"}, "b": {"type": "number"}}
SPLIT = "def split(n: float) -> dict:\n    return {'half': [n / 2], 'whole': n}\n"
ADD = "def add(a: float, b: float) -> float:\n    return a + b\n"

FLOW = Workflow(
    id="w1",
    name="half_plus",
    steps=(
        WorkflowStep("split", {"n": FromRequest("amount")}),
        WorkflowStep("add", {"a": FromStep(0, ("half", 0)), "b": Constant(1)}),
        WorkflowStep("add", {"a": FromStep(0, ("whole",)), "b": FromStep(1)}),
    ),
    support=3,
    success=1.0,
    confidence=1.0,
)


async def test_the_exported_graph_gives_what_the_chain_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_tool(hs, SPLIT, "Split a number.", NUMBER, {"type": "object"})
        await add_tool(hs, ADD, "Add two numbers.", PAIR, {"type": "number"})
        with pytest.raises(BadRequest, match="not a workflow"):
            await export_langgraph(hs, "add")
    file = tmp_path / "half_plus.py"
    file.write_text(langgraph_code(FLOW, "half_plus", "Half of it plus one plus all of it."))
    spec = importlib.util.spec_from_file_location("half_plus", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert await module.main({"amount": 10}) == 16
