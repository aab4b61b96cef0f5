"""One attack and the judgement of what came of it."""

import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call, Failure, Limits, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox

# Small, so that an attack that succeeds does little harm before it stops itself.
SMALL = Limits(
    memory_bytes=128 << 20,
    wall_s=5.0,
    processes=16,
    output_bytes=256 << 10,
    file_bytes=8 << 20,
    tmp_bytes=16 << 20,
    tmp_inodes=256,
)


def prelude() -> str:
    """The source that every attack starts with."""
    package = "hammerstone.sandbox.conformance"
    return package_files(package).joinpath("inside.py").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Attack:
    """What an attack said it reached and what stopped it, and the outcome around that."""

    outcome: Outcome
    wall_s: float
    reached: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def told(self) -> bool:
        """The attack ran to its end and could report; otherwise it was ended."""
        return self.outcome.ok

    @property
    def inconclusive(self) -> str:
        """Why this proves nothing: the attack never started, or broke on its own."""
        outcome = self.outcome
        broken = outcome.failure in (Failure.LOAD, Failure.LOST) or (
            outcome.failure is Failure.RAISED and outcome.error_type != "MemoryError"
        )
        return f"inconclusive, {describe(outcome)}" if broken else ""

    @property
    def ended_by(self) -> str:
        return "" if self.told else describe(self.outcome)


def describe(outcome: Outcome) -> str:
    if outcome.failure is None:
        return f"returned {json.dumps(outcome.value)[:120]}"
    return f"{outcome.failure}: {outcome.error_type} {outcome.error}".strip()[:240]


@dataclass(slots=True)
class ProbeStage:
    """One sandbox, one random word that must not be where it does not belong."""

    sandbox: Sandbox
    token: str = field(default_factory=lambda: f"hs{secrets.token_hex(6)}")

    def program(self, code: str) -> Program:
        return Program(f"{prelude()}\n{code}", "attack")

    async def attack(
        self,
        code: str,
        *,
        limits: Limits = SMALL,
        files: Mapping[str, Path] | None = None,
        **arguments: Json,
    ) -> Attack:
        """Run `attack(**arguments)` of `code` inside and read its report."""
        began = time.perf_counter()
        outcome = await self.sandbox.call(
            self.program(code), Call(kwargs=arguments), limits=limits, files=files
        )
        return read_report(outcome, time.perf_counter() - began)

    async def value(self, code: str, *, limits: Limits = SMALL) -> Outcome:
        """Run a plain program, without the attack's vocabulary."""
        return await self.sandbox.call(Program(code, "attack"), Call(), limits=limits)

    async def rows(self, codes: Sequence[str], calls: Sequence[Call]) -> list[list[Outcome]]:
        programs = [Program(code, "attack") for code in codes]
        return await self.sandbox.matrix(programs, calls, limits=SMALL)

    async def still_works(self) -> str:
        """Empty when the sandbox answers an honest call; else what it said."""
        outcome = await self.value("def attack():\n    return 6 * 7\n")
        return "" if outcome.ok and outcome.value == 42 else describe(outcome)


def read_report(outcome: Outcome, wall_s: float) -> Attack:
    if not outcome.ok:
        return Attack(outcome, wall_s)
    value = wire.decode(outcome.value)
    if not isinstance(value, dict):
        return Attack(outcome, wall_s, facts={"value": value})
    return Attack(
        outcome,
        wall_s,
        reached=tuple(str(item) for item in value.get("reached", ())),
        stopped=tuple(str(item) for item in value.get("stopped", ())),
        facts=value,
    )


def own_memory_bytes() -> int:
    """Resident memory of this host process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class ProbeKind(StrEnum):
    """Whether a backend may exist at all without containing the attack."""

    CONTAINMENT = "containment"  # every backend must; otherwise nothing may run in it
    QUOTA = "quota"  # a backend may name it as a gap; it still counts as not contained


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """Contained or not, and what stopped the attack or what it reached."""

    contained: bool
    detail: str


Judge = Callable[[ProbeStage], Awaitable[ProbeFinding]]


@dataclass(frozen=True, slots=True)
class Probe:
    """`run` attacks from inside, watches from outside, and says what happened."""

    name: str
    tries: str
    run: Judge
    kind: ProbeKind = ProbeKind.CONTAINMENT
    fast: bool = False


def probe(
    tries: str, *, kind: ProbeKind = ProbeKind.CONTAINMENT, fast: bool = False
) -> Callable[[Judge], Probe]:
    """Make a probe of an async function; its name is the theme's file and the function's name."""

    def make(judge: Judge) -> Probe:
        theme = judge.__module__.rpartition(".")[2]
        name = getattr(judge, "__name__", "probe")
        return Probe(f"{theme}.{name}", tries, judge, kind, fast)

    return make


def contained(detail: str) -> ProbeFinding:
    return ProbeFinding(True, detail)


def escaped(detail: str) -> ProbeFinding:
    return ProbeFinding(False, detail)


def judge(attack: Attack) -> ProbeFinding:
    """Contained when the attack ran and reached nothing, or was ended on the way."""
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    if attack.reached:
        return escaped("reached " + "; ".join(attack.reached[:4]))
    if not attack.told:
        return contained(f"ended by {attack.ended_by}")
    if not attack.stopped:
        return escaped("inconclusive, the attack tried nothing")
    return contained("; ".join(attack.stopped[:4]))
