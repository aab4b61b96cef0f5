"""A sandbox without walls, for code that the tests themselves hold.

What is decided from outcomes can be tested with it in milliseconds; isolation is what the tests of
the real sandboxes are about.
"""

import ast
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program, ResourceUse


class OwnCodeSandbox:
    """Runs programs in this process; `slow` gives the processor seconds that a program is said to
    take, and `held_up` how long a busy machine keeps each call waiting besides."""

    backend = "own code"

    def __init__(self, slow: Mapping[str, float] | None = None, held_up: float = 0.0) -> None:
        self._slow = slow or {}
        self._held_up = held_up
        self.ran: list[Call] = []
        self.limits: list[Limits] = []

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        self.ran.append(call)
        self.limits.append(limits)
        names: dict[str, Any] = {}
        try:
            exec(compile(program.code, "tool.py", "exec"), names)
            function = names[program.function]
        except Exception as error:
            return Outcome(None, Failure.LOAD, type(error).__name__, str(error))
        cpu_s = self._slow.get(program.code, 0.0)
        use = ResourceUse(wall_s=cpu_s + self._held_up, cpu_s=cpu_s)
        try:
            if call.source is not None:
                value = eval(compile(call.source, "call.py", "eval"), names)
            else:
                kwargs = {name: wire.decode(given) for name, given in call.kwargs.items()}
                value = function(*map(wire.decode, call.args), **kwargs)
        except Exception as error:
            shown = self._shown(program, error)
            return Outcome(
                None, Failure.RAISED, type(error).__name__, str(error), "", shown, use=use
            )
        return Outcome(wire.encode(value), use=use)

    @staticmethod
    def _shown(program: Program, error: Exception) -> str:
        """The traceback as the harness of the real ones writes it, with the lines of the tool."""
        lines = program.code.splitlines()
        told: list[str] = []
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == "tool.py":
                told.append(f'  File "tool.py", line {frame.lineno}, in {frame.name}')
                told.append("    " + lines[(frame.lineno or 1) - 1].strip())
        return "\n".join(told)

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        return [
            [await self.call(program, call, limits=limits) for call in calls]
            for program in programs
        ]

    async def close(self) -> None:
        pass


def head_of(code: str) -> str:
    """The name of the first function."""
    return next(n.name for n in ast.parse(code).body if isinstance(n, ast.FunctionDef))
