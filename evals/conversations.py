"""Whole conversations, checked on what came out: references, corrections, questions, files, steps.

    python -m evals.conversations [--set instant|quick|full] [--json]

`evals/data/conversations.json` holds what is said, what has to come out, and, for the scripted
model, what a model would reply where one has to be asked; a reply that nobody wrote down is an
error. The library is the starter set and four tools for files.
"""

import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import hammerstone.library
from evals.measured import measured
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.evaluations import Better, CaseOutcome
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import (
    case,
    higher,
    share,
)
from hammerstone.library.tools.folder.files import ToolFiles, read_folder
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel

DATA = Path(__file__).parent / "data" / "conversations.json"
STARTER = Path(hammerstone.library.__file__).parent / "starter"


@dataclass
class Turn:
    conversation: str
    about: str
    said: str
    right: bool
    strategy: str
    calls: int
    tokens: int
    seconds: float
    got: str
    expected: Any


class Replies:
    """What the model says in the turn that is going on; only what was written down for it."""

    def __init__(self) -> None:
        self.turn: dict[str, Any] = {}

    def __call__(self, prompt: Prompt) -> str | Exception:
        written = self.turn.get("model", {})
        if prompt.purpose not in written:
            asked = prompt.messages[-1].text[-150:]
            raise HammerstoneError(f"nothing was written for {prompt.purpose!r}: {asked}")
        reply = written[prompt.purpose]
        if prompt.purpose == "arguments" and isinstance(reply, dict):
            asked = (prompt.schema or {}).get("properties", {})
            return json.dumps({name: value for name, value in reply.items() if name in asked})
        return reply


@dataclass
class Bench:
    scripted: bool
    settings: Settings
    replies: Replies = field(default_factory=Replies)

    @asynccontextmanager
    async def engine(self, folder: Path) -> AsyncIterator[Hammerstone]:
        for shared in (self.settings.models_dir, self.settings.runtime_dir):
            if shared.is_dir():
                (folder / shared.name).symlink_to(shared)
        own = {"data_dir": folder, "starter_tools": False}
        settings = self.settings.model_copy(update=own)
        scripted = OneModel(ScriptedModel(self.replies)) if self.scripted else None
        async with Hammerstone.open(settings, models=scripted) as hs:
            yield hs


async def fill_library(hs: Hammerstone, tools: list[dict[str, Any]]) -> None:
    """The starter set and the file tools, as if they had been verified here."""
    for folder in sorted(STARTER.iterdir()):
        files = read_folder(folder) if folder.is_dir() else None
        if isinstance(files, ToolFiles):
            await register(hs, files.spec, files.code)
    for tool in tools:
        name = tool["code"].partition("def ")[2].partition("(")[0]
        parameters = {
            "type": "object",
            "properties": tool["parameters"],
            "required": list(tool["parameters"]),
            "additionalProperties": False,
        }
        spec = Spec(name, tool["description"], parameters, tool["returns"], Effect(tool["effect"]))
        await register(hs, spec, tool["code"])


async def register(hs: Hammerstone, spec: Spec, code: str) -> None:
    new = NewVersion(spec, code, (), (), Status.VERIFIED, 0.97, {}, {"origin": "evaluation"})
    await hs.tools.register(new, ActivationReason("registered", "evaluation", "given"))


async def converse(hs: Hammerstone, bench: Bench, each: dict[str, Any], home: Path) -> list[Turn]:
    turns: list[Turn] = []
    for turn in each["turns"]:
        bench.replies.turn = turn
        paths = [home / name for name in turn.get("files", {})]
        for path in paths:
            path.write_text(turn["files"][path.name])
        began = time.perf_counter()
        try:
            answer = await hs.ask(turn["say"], session=each["id"], files=paths)
        except HammerstoneError as error:
            answer = Answer(text=f"{type(error).__name__}: {error}")
            answer = replace(answer, strategy="error")
        turns.append(
            Turn(
                conversation=each["id"],
                about=each["about"],
                said=turn["say"],
                right=is_right(answer, turn["expect"]),
                strategy=answer.strategy or str(answer.status),
                calls=answer.cost.model_calls,
                tokens=answer.cost.tokens,
                seconds=time.perf_counter() - began,
                got=f"{answer.status}: {answer.text[:200]} [{answer.tool}]",
                expected=turn["expect"],
            )
        )
    return turns


def is_right(answer: Answer, expected: dict[str, Any]) -> bool:
    if str(answer.status) != expected["status"] or answer.strategy == "error":
        return False
    if "contains" in expected and expected["contains"] not in answer.text:
        return False
    if "strategy" in expected and answer.strategy != expected["strategy"]:
        return False
    return "value" not in expected or same(answer.result, expected["value"])


def same(got: Any, wanted: Any) -> bool:
    if wanted == {"n": 2}:  # two independent results, whatever they are called
        return isinstance(got, dict) and len(got) == 2
    if isinstance(wanted, bool) or isinstance(got, bool):
        return got is wanted
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return math.isclose(got, wanted, rel_tol=1e-4)
    return got == wanted


async def measure(bench: Bench, context: MeasurementContext) -> AsyncGenerator[Turn, None]:
    """The turns of one conversation after the other, until the time is up."""
    data = json.loads(DATA.read_text())
    with tempfile.TemporaryDirectory() as folder:
        async with bench.engine(Path(folder)) as hs:
            await fill_library(hs, data["tools"])
            # The library has a tool for everything: who begins to build one is wrong already.
            small = {"attempts": 1, "model_calls": 1}
            await hs.policies.change("build_budget", small, who="evaluation", why="no building")
            for each in data["conversations"]:
                if context.time_is_up():
                    return
                for turn in await converse(hs, bench, each, Path(folder)):
                    yield turn


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Conversations with a model that says what was written down for it."""
    async for finding in _found(context, Bench(True, context.settings)):
        yield finding


async def live_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The same conversations with the configured model."""
    async for finding in _found(context, Bench(False, context.settings)):
        yield finding


async def _found(context: MeasurementContext, bench: Bench) -> AsyncGenerator[Finding, None]:
    outcomes: list[CaseOutcome] = []
    whole: defaultdict[str, list[bool]] = defaultdict(list)
    async for turn in measure(bench, context):
        place = len(whole[turn.conversation])
        whole[turn.conversation].append(turn.right)
        outcomes.append(
            case(
                f"{turn.conversation} {place}", turn.right, tags=(turn.about, turn.strategy),
                asked=turn.said, given=turn.got, wanted=turn.expected,
                seconds=turn.seconds, tokens=0 if bench.scripted else turn.tokens,
                numbers={"calls": float(turn.calls)},
            )
        )  # fmt: skip
        yield outcomes[-1]
    yield passed_share("turns right", outcomes)
    right = sum(all(turns) for turns in whole.values())
    yield higher("conversations right from end to end", share(right, len(whole)))
    yield mean_of("model calls a turn", "calls", outcomes, unit="count", better=Better.LOWER)


if __name__ == "__main__":
    measured("conversations")
