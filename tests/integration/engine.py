"""An engine with a scripted model, a real sandbox and a real database, for integration tests."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, Event, EventKind
from hammerstone.core.chat import Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Repairer
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Case, Effect, Spec, Status, Tool
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel
from hammerstone.run.services import Services

PERCENT_CODE = (
    "```python\ndef percentage_of(percent: float, number: float) -> float:\n"
    "    return percent / 100 * number\n```"
)
PERCENT_SOLUTION = """```python
# given: 17.5 percent and 240
# asked: the part of 240
def percentage_of(percent: float, number: float) -> float:
    \"\"\"A given percentage of a number.\"\"\"
    return percent / 100 * number

answer = percentage_of(17.5, 240)
```"""
PERCENT_TESTS = """```python
assert percentage_of(10, 200) == 20
assert percentage_of(50, 10) == 5
assert percentage_of(0, 99) == 0
assert percentage_of(100, 7) == 7
assert percentage_of(25, 80) == 20
```"""


def solution_of(code: str, call: str) -> str:
    """A whole solution as a model writes it: the code, and a last line that calls it."""
    return f"```python\n{code.strip()}\n\nanswer = {call}\n```"


def in_turn(*replies: str) -> "Callable[[Prompt], str]":
    """One reply after the other, the last one for all further prompts."""
    left = list(replies)

    def line(prompt: Prompt) -> str:
        return left.pop(0) if len(left) > 1 else left[0]

    return line


class Script:
    """Answers by purpose; a purpose it was not given raises."""

    def __init__(self, **by_purpose: str | Callable[[Prompt], Line] | Exception) -> None:
        # No opinion, no description and no fix, unless it is given one.
        self._by_purpose = {"adjudicate": "", "description": "{}", "fix": "", **by_purpose}
        self.asked: list[str] = []

    def __call__(self, prompt: Prompt) -> Line:
        self.asked.append(prompt.purpose)
        if prompt.purpose not in self._by_purpose:
            raise AssertionError(f"the script has nothing for {prompt.purpose!r}")
        line = self._by_purpose[prompt.purpose]
        return line(prompt) if callable(line) else line


def percent_script(**more: str | Callable[[Prompt], Line] | Exception) -> Script:
    """Everything a model needs to say to solve the request and to prove `percentage_of`."""
    by_purpose: dict[str, str | Callable[[Prompt], Line] | Exception] = {
        "solution": PERCENT_SOLUTION,
        "arguments": json.dumps({"percent": 17.5, "number": 240}),
        "tests": PERCENT_TESTS,
        "code": PERCENT_CODE,
        "foretell": "42",
    }
    return Script(**(by_purpose | more))


def services_of(hs: Hammerstone) -> Services:
    """The services that an engine works with, for a look behind it."""
    return hs._wiring.services


def with_repairer(hs: Hammerstone, repairer: Repairer) -> Hammerstone:
    """An engine on the same services with another repairer."""
    return Hammerstone(replace(hs._wiring, repairer=repairer))


class Noted:
    """Collects what a proof tells while it is done."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, JsonObject]] = []

    async def __call__(self, kind: EventKind, text: str, data: JsonObject) -> None:
        self.told.append((str(kind), text, data))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _, _ in self.told]


class Watched:
    """Collects events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    async def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def kinds(self) -> list[str]:
        return [str(event.kind) for event in self.events]


async def add_tool(
    hs: Hammerstone,
    code: str,
    description: str,
    parameters: JsonObject,
    returns: JsonObject,
    effect: Effect = Effect.PURE,
    status: Status = Status.VERIFIED,
    suite: tuple[Case, ...] = (),
    limits: str = "standard",
) -> Tool:
    """A tool put into the library as it is, without building it."""
    name = code.partition("def ")[2].partition("(")[0]
    spec = Spec(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": parameters,
            "required": list(parameters),
            "additionalProperties": False,
        },
        returns=returns,
        effect=effect,
        limits=limits,
    )
    new = NewVersion(
        spec=spec,
        code=code,
        suite=suite,
        rejected=(),
        status=status,
        confidence=0.97 if status is Status.VERIFIED else 0.6,
        evidence={},
        provenance={"request": description},
    )
    return await hs.tools.register(new, ActivationReason("registered", "test", "given"))


async def proved(hs: Hammerstone, request: str = "What is 17.5% of 240?") -> Answer:
    """The answer to a request as it stands after its proof."""
    return await hs.proofs.wait(await hs.ask(request))


@asynccontextmanager
async def scripted_engine(
    script: Script, data_dir: Path, **more: Any
) -> AsyncIterator[Hammerstone]:
    settings = Settings(data_dir=data_dir, embedder="off", **more)
    model = OneModel(ScriptedModel(script))
    async with Hammerstone.open(settings, models=model) as hs:
        yield hs
