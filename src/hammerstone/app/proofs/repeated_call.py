"""The request's own call once more, with the tool that the proof ended with, and the session's
files that it reads."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from hammerstone.app.proofs.result import ProofResult
from hammerstone.core.calls import HEAVY, STANDARD, Call, Program
from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.solutions import ProofTask, Solution
from hammerstone.core.tools import Tool
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.storage import Database
from hammerstone.storage.stores.requests.artifacts import ArtifactRow
from hammerstone.synthesis.solutions.own_call import OwnCall, observe
from hammerstone.synthesis.solutions.plain import plain_function

_MOST = 200


async def named_rows(
    db: Database, clock: Clock, session_id: str, names: Sequence[str]
) -> dict[str, ArtifactRow]:
    """The newest of the session's files by each name; one that expired is not there."""
    if not names:
        return {}
    rows = await db.artifacts.of_session(session_id, clock.now(), limit=_MOST)
    return {row.name: row for row in reversed(rows) if row.name in names}


@asynccontextmanager
async def session_files(
    db: Database, rows: dict[str, ArtifactRow]
) -> AsyncGenerator[dict[str, Path], None]:
    """Files by the names they have in the sandbox, readable by this user alone."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-") as folder:
        paths: dict[str, Path] = {}
        for name, row in rows.items():
            _, content = await db.artifacts.get(row.id)
            path = Path(folder) / name
            await asyncio.to_thread(path.write_bytes, content)
            paths[name] = path
        yield paths


@dataclass(frozen=True, slots=True)
class AnotherValue:
    """What the tool gives for a request whose answer was something else; in wire form."""

    value: Json


async def another_value(
    task: ProofTask,
    tool: Tool,
    result: ProofResult,
    sandbox: Sandbox,
    files: Mapping[str, Path] | None = None,
) -> AnotherValue | None:
    """The tool's value where it is not the answer's; None where it is, or cannot be said."""
    mine = (task.winner, *task.rivals)
    basis = next((one for one in mine if digest(one.code) == result.source), task.winner)
    own = await observe(basis, sandbox, files)
    if isinstance(own, str):
        return None
    program, call = _asked_again(basis, own, tool, result.parameters)
    if program is None or call is None:
        return None
    limits = HEAVY if tool.version.spec.limits == "heavy" else STANDARD
    outcome = await sandbox.call(program, call, limits=limits, files=files)
    if not outcome.ok or same_answer(decoded(outcome.value), decoded(task.value)):
        return None
    return AnotherValue(outcome.value)


def _asked_again(
    solution: Solution, own: OwnCall, tool: Tool, parameters: Mapping[str, str]
) -> tuple[Program | None, Call | None]:
    """The tool's program and the call of it that stands for the request."""
    version = tool.version
    plain = plain_function(solution, own)
    if isinstance(plain, str):
        return None, None
    direct = same_answer(decoded(own.returned), decoded(own.value))
    if direct:
        named = {parameters.get(name, name): value for name, value in plain.arguments.items()}
        if not set(named) <= set(version.spec.takes.names):
            return None, None
        return Program(version.code, version.spec.name), Call(kwargs=named)
    if parameters:
        return None, None  # an expression around the call names the solution's own parameters
    name = solution.function
    code = f"{solution.code}\n\n\n{version.code}\n\n\n{name} = {version.spec.name}\n"
    return Program(code, name), Call(source=solution.call)
