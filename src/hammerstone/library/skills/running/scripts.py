"""Running a skill's script: in the sandbox, like any code that nobody reviewed."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from hammerstone.core.calls import STANDARD, Artifact, Call, Failure, Limits, Outcome, Program
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.library.skills.skill import SCRIPTS, Skill
from hammerstone.library.skills.skills import Skills

MAX_STDIN = 1 << 20
MAX_ARGUMENTS = 100


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What a script came to. `value` is what it printed, read as JSON where it is JSON."""

    value: Json
    stdout: str
    stderr: str
    exit_code: int | None  # None when it did not end by itself
    failure: Failure | None
    error: str
    artifacts: tuple[Artifact, ...]

    @property
    def ok(self) -> bool:
        return self.failure is None and self.exit_code == 0

    def to_json(self) -> JsonObject:
        return {
            "ok": self.ok,
            "value": self.value,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "exit_code": self.exit_code,
            "failure": str(self.failure) if self.failure else None,
            "error": self.error,
            "artifacts": [{"name": a.name, "bytes": len(a.content)} for a in self.artifacts],
        }


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """How a script is started. `files` appear under /files by their names."""

    argv: Sequence[str] = ()
    stdin: str = ""
    files: Mapping[str, Path] | None = None
    limits: Limits = STANDARD


async def run_script(
    skills: Skills, sandbox: Sandbox, skill: Skill, path: str, call: ScriptCall | None = None
) -> ScriptResult:
    """Run one script of a skill.

    Raises `NotFound` for a script that is not there, and `Refused` for one that the scan
    blocked. Nothing in the skill can change the limits: they are the caller's.
    """
    call = call or ScriptCall()
    _must_be_allowed(skill, path)
    if len(call.stdin) > MAX_STDIN or len(call.argv) > MAX_ARGUMENTS:
        raise BadRequest("too much input for a script")
    contents = await skills.files(skill)
    with tempfile.TemporaryDirectory(prefix="hammerstone-skill-") as scratch:
        staged, layout = await asyncio.to_thread(_stage, contents, Path(scratch))
        for name in call.files or {}:
            if name in staged:
                raise BadRequest(f"a file cannot be called {name!r}")
        outcome = await sandbox.call(
            Program(_launcher(), "launch"),
            Call(args=(path, list(call.argv), call.stdin, dict(layout))),
            limits=call.limits,
            files={**staged, **(call.files or {})},
        )
    return _result(outcome)


def main_script(skill: Skill) -> str:
    """The script that stands for the skill: its only one, or `main.py`, or `tool.py`."""
    runnable = [path for path in skill.scripts if path.endswith(".py")]
    for usual in ("main.py", "tool.py", "run.py", f"{skill.name.replace('-', '_')}.py"):
        if SCRIPTS + usual in runnable:
            return SCRIPTS + usual
    if len(runnable) == 1:
        return runnable[0]
    listed = ", ".join(skill.scripts) or "none"
    raise NotFound(f"{skill.name} has no one script to run", hint=f"name one of: {listed}")


def _must_be_allowed(skill: Skill, path: str) -> None:
    if path not in skill.scripts:
        listed = ", ".join(skill.scripts) or "none"
        raise NotFound(f"{skill.name} has no script {path!r}", hint=f"there are: {listed}")
    if reason := skill.blocked(path):
        raise Refused(
            f"{path} of {skill.name} may not run: {reason}",
            hint=f"hammerstone skills show {skill.name} lists what was found",
        )


def _stage(contents: Mapping[str, bytes], folder: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """The skill's files under flat names, as the sandbox takes them, and where each belongs."""
    staged: dict[str, Path] = {}
    layout: dict[str, str] = {}
    for number, (path, content) in enumerate(sorted(contents.items())):
        name = f"skill_{number:04}"
        (folder / name).write_bytes(content)
        staged[name] = folder / name
        layout[path] = f"/files/{name}"
    return staged, layout


@lru_cache(maxsize=1)
def _launcher() -> str:
    package = resources.files("hammerstone.library.skills.running")
    return package.joinpath("launcher.py").read_text("utf-8")


def _result(outcome: Outcome) -> ScriptResult:
    code = outcome.value if isinstance(outcome.value, int) and outcome.ok else None
    error = outcome.error
    if outcome.ok and code:
        error = outcome.stderr.strip()[-500:] or f"it ended with code {code}"
    elif outcome.error_type and outcome.failure is Failure.RAISED:
        error = outcome.error_line
    return ScriptResult(
        value=_read(outcome.stdout) if outcome.ok else None,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        exit_code=code,
        failure=outcome.failure,
        error=error,
        artifacts=outcome.artifacts,
    )


def _read(printed: str) -> Json:
    """What was printed as JSON, or as the text it is."""
    try:
        return json.loads(printed, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return printed.rstrip("\n")
