"""Whole conversations, checked on what came out: references, corrections, questions, files, steps.

    .venv/bin/python evals/conversations.py --model scripted [--json] [--only ID]
    .venv/bin/python evals/conversations.py --model embedded --models-dir DIR

`evals/data/conversations.json` holds what is said, what has to come out, and, for the scripted
model, what a model would reply where one has to be asked; a reply that nobody wrote down is an
error. The library is the starter set and four tools for files. Printed for each strategy: how
many turns came out right, model calls, tokens and seconds.
"""

import argparse
import asyncio
import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import hammerstone.library
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import load_settings
from hammerstone.core.tools import Effect, Spec, Status
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
    model: str
    models_dir: Path | None
    replies: Replies = field(default_factory=Replies)

    @asynccontextmanager
    async def engine(self, folder: Path) -> AsyncIterator[Hammerstone]:
        if self.models_dir is not None:
            (folder / "models").symlink_to(self.models_dir)
        settings = load_settings(data_dir=folder, starter_tools=False)
        scripted = OneModel(ScriptedModel(self.replies)) if self.model == "scripted" else None
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


async def measure(bench: Bench, only: str | None, log: Path | None) -> list[Turn]:
    data = json.loads(DATA.read_text())
    turns: list[Turn] = []
    with tempfile.TemporaryDirectory() as folder:
        async with bench.engine(Path(folder)) as hs:
            await fill_library(hs, data["tools"])
            # The library has a tool for everything: who begins to build one is wrong already.
            small = {"attempts": 1, "model_calls": 1}
            await hs.policies.change("build_budget", small, who="evaluation", why="no building")
            for each in data["conversations"]:
                if only is None or only == each["id"]:
                    found = await converse(hs, bench, each, Path(folder))
                    turns += found
                    if log is not None:
                        with log.open("a") as file:
                            file.writelines(
                                json.dumps(asdict(t), default=str) + "\n" for t in found
                            )
    return turns


def summary(turns: list[Turn]) -> dict[str, Any]:
    whole: defaultdict[str, list[bool]] = defaultdict(list)
    for turn in turns:
        whole[turn.conversation].append(turn.right)
    report: dict[str, Any] = {
        "conversations": len(whole),
        "conversations_right": sum(all(each) for each in whole.values()),
        "turns": len(turns),
        "turns_right": sum(turn.right for turn in turns),
        "model_calls": sum(turn.calls for turn in turns),
        "tokens": sum(turn.tokens for turn in turns),
    }
    for key in ("about", "strategy"):
        groups: defaultdict[str, list[Turn]] = defaultdict(list)
        for turn in turns:
            groups[getattr(turn, key)].append(turn)
        report[f"by_{key}"] = {
            name: {
                "turns": len(group),
                "right": sum(turn.right for turn in group),
                "calls_each": round(sum(turn.calls for turn in group) / len(group), 2),
                "tokens_each": round(sum(turn.tokens for turn in group) / len(group), 1),
                "seconds_each": round(sum(turn.seconds for turn in group) / len(group), 3),
            }
            for name, group in sorted(groups.items())
        }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("scripted", "embedded"), default="scripted")
    parser.add_argument("--models-dir", type=Path, help="where the pulled models are")
    parser.add_argument("--only", help="one conversation's id")
    parser.add_argument("--log", type=Path, help="append every turn here as JSON lines")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns = asyncio.run(
        measure(Bench(options.model, options.models_dir), options.only, options.log)
    )
    report = summary(turns)
    if options.json:
        print(json.dumps(report | {"model": options.model}, indent=2))
        return
    for turn in turns:
        mark = "ok   " if turn.right else "WRONG"
        print(f"{mark} {turn.conversation:22} {turn.strategy:12} {turn.calls} calls  {turn.said}")
        if not turn.right:
            print(f"      expected {turn.expected}\n      got      {turn.got}")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
