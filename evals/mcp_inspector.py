"""The MCP inspector's command line against the library, over stdio and over HTTP.

    python -m evals.mcp_inspector [--set instant|quick|full] [--json]

The inspector is somebody else's client, in another language. npm fetches it (`npx`), unless
MCP_INSPECTOR names an installed `mcp-inspector`; where there is neither, that is said. Each case
is one call: what was asked, and whether the answer was the right one.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import Refused
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import (
    case,
)
from tests.integration.serving import serve

PACKAGE = "@modelcontextprotocol/inspector"
_WITHIN_S = 180.0


class Inspector:
    """Runs its command line; every answer is one JSON document."""

    def __init__(self, command: list[str]) -> None:
        self._command = command

    def ask(self, target: list[str], *options: str, env: dict[str, str] | None = None) -> Any:
        done = subprocess.run(
            [*self._command, "--cli", *target, *options],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=_WITHIN_S,
        )
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"failed": done.returncode, "said": (done.stderr or done.stdout)[-400:]}


def _calls() -> list[tuple[str, list[str], Callable[[Any], bool]]]:
    listing = ["--method", "tools/list"]
    calling = ["--method", "tools/call", "--tool-name", "percentage_of"]
    given = ["--tool-arg", "percent=17.5", "--tool-arg", "number=240"]
    return [
        ("tools/list", listing, _lists_the_library),
        ("tools/call", [*calling, *given], lambda it: it["structuredContent"] == {"result": 42}),
        ("tools/call with a wrong argument", [*calling, "--tool-arg", "percent=many"], _is_told),
        ("resources/list", ["--method", "resources/list"], lambda it: it["resources"] == []),
    ]


def _lists_the_library(answer: Any) -> bool:
    names = {tool["name"] for tool in answer["tools"]}
    return {"ask", "build_tool", "percentage_of"} <= names and len(names) > 50


def _is_told(answer: Any) -> bool:
    return answer.get("isError") is True and "percent" in json.dumps(answer)


def inspect(command: list[str], folder: str) -> list[dict[str, Any]]:
    """Every call over both transports: what was asked, and whether the answer was right."""
    return _inspected(Inspector(command), Path(folder))


def _inspected(inspector: Inspector, folder: Path) -> list[dict[str, Any]]:
    asyncio.run(_seed(folder))
    environment = {"HAMMERSTONE_DATA_DIR": str(folder), "HAMMERSTONE_EMBEDDER": "off"}
    own = [sys.executable, "-m", "hammerstone", "mcp", "serve"]
    served = serve(folder)
    try:
        over_http = [f"{served.address}mcp", "--transport", "http"]
        found = []
        for transport, target in (("stdio", own), ("http", over_http)):
            for what, options, right in _calls():
                answer = inspector.ask(target, *options, env=environment)
                found.append({"transport": transport, "call": what, **_judged(answer, right)})
        return found
    finally:
        served.stop()


def _judged(answer: Any, right: Callable[[Any], bool]) -> dict[str, Any]:
    try:
        well = right(answer)
    except (KeyError, TypeError):
        well = False
    return {"right": well} if well else {"right": False, "answer": answer}


async def _seed(folder: Path) -> None:
    async with Hammerstone.open(Settings(data_dir=folder, embedder="off")):
        pass  # opening makes the library, with the starter tools in it


def _command() -> list[str] | None:
    if given := os.environ.get("MCP_INSPECTOR"):
        return [given]
    return ["npx", "--yes", PACKAGE] if shutil.which("npx") else None


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every call of the inspector as a case."""
    command = _command()
    if command is None:
        raise Refused("npm is missing here: the inspector cannot be fetched")
    outcomes: list[CaseOutcome] = []
    with tempfile.TemporaryDirectory() as folder:
        found = await own_process(inspect, command=command, folder=folder)
    for one in found:
        name = f"{one['transport']}: {one['call']}"
        given = json.dumps(one.get("answer", "")) if not one["right"] else "as it should be"
        outcomes.append(case(name, one["right"], tags=(one["transport"],), given=given))
        yield outcomes[-1]
    yield passed_share("calls answered rightly", outcomes, target=1.0)


if __name__ == "__main__":
    measured("mcp_inspector")
