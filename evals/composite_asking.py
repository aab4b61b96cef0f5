"""How often requests are served by the composite that was made of their steps, through `ask`.

People ask for chains of starter tools in plain words, in several sessions, until the chains are
ripe. The same unseen requests are then asked twice, on two copies of that library: one that did
not learn, and one that did. Counted is, of those that ran the chain's steps before, how many one
call of the composite answers; with the calls of a model, and how many answers are right. The
model is scripted to refuse: what needs one counts as not answered.
"""

import random
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.composite_requests import FAMILIES, Family
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings, load_settings
from hammerstone.judging.equality import same
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel

SESSIONS, TIMES = 2, 2  # of each family while it is learned
UNSEEN = 2  # requests of each family in each way of asking


class Refusing:
    """A model that answers nothing and counts who asks."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, prompt: Prompt) -> str:
        self.calls += 1
        raise HammerstoneError(f"there is no model for {prompt.purpose}")


@dataclass(frozen=True)
class Asked:
    """One request and what came of it."""

    family: Family
    way: int
    tools: tuple[str, ...]
    right: bool
    model_calls: int
    seconds: float
    why: str = ""  # what the answer says where there is none

    @property
    def by_steps(self) -> bool:
        return self.tools == self.family.tools

    def by_composite(self, names: dict[tuple[str, ...], str]) -> bool:
        return self.tools == (names.get(self.family.tools),)


async def measure(embedder: str = "local") -> dict[str, Any]:
    """The numbers, and what came of every request."""
    rng = random.Random(11)
    unseen = [
        (family, way, family.draw(rng))
        for family in FAMILIES
        for way in range(len(family.ways))
        for _ in range(UNSEEN)
    ]
    with tempfile.TemporaryDirectory() as folder:
        used, learned = Path(folder, "used"), Path(folder, "learned")
        settings = _settings(used, embedder)
        await _use(settings, rng)
        shutil.copytree(used, learned, symlinks=True)
        before = await _ask(settings, unseen, learn=False)
        after = await _ask(_settings(learned, embedder), unseen, learn=True)
    return _numbers(before[0], *after)


def _settings(folder: Path, embedder: str) -> Settings:
    """A library of its own that shares the models and the sandbox's runtime with the usual one."""
    usual = load_settings()
    folder.mkdir(exist_ok=True)
    for name, there in (("models", usual.models_dir), ("runtime", usual.runtime_dir)):
        if there.is_dir() and not (folder / name).exists():
            (folder / name).symlink_to(there)
    return Settings(data_dir=folder, embedder=embedder)  # type: ignore[arg-type]


async def _use(settings: Settings, rng: random.Random) -> None:
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(Refusing()))) as hs:
        for family in FAMILIES:
            for number in range(SESSIONS * TIMES):
                session = f"{family.name} {number % SESSIONS}"
                await _answer(hs, family.request(family.draw(rng), 0), session)


async def _ask(
    settings: Settings, unseen: list[tuple[Family, int, dict[str, Any]]], *, learn: bool
) -> tuple[list[Asked], dict[tuple[str, ...], str]]:
    model = Refusing()
    found: list[Asked] = []
    names: dict[tuple[str, ...], str] = {}
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(model))) as hs:
        if learn:
            await hs.policies.change("mining", {"settle_s": 0.0}, who="eval", why="nobody asks")
            report: Any = await hs.learning.run()
            names = {tuple(one["steps"]): one["tool"] for one in report["composites"]}
        for number, (family, way, values) in enumerate(unseen):
            calls, began = model.calls, time.perf_counter()
            answer = await _answer(hs, family.request(values, way), f"unseen {number}")
            seconds = time.perf_counter() - began
            if isinstance(answer, str):
                found.append(Asked(family, way, (), False, model.calls - calls, seconds, answer))
                continue
            right = same(answer.result, family.truth(values))
            used, asked = _tools(answer), model.calls - calls
            found.append(Asked(family, way, used, right, asked, seconds, answer.text[:200]))
    return found, names


async def _answer(hs: Hammerstone, text: str, session: str) -> Answer | str:
    try:
        return await hs.ask(text, session=session)
    except HammerstoneError as error:
        return error.message


def _tools(answer: Answer) -> tuple[str, ...]:
    return tuple(str(step["tool"]) for step in answer.steps) or (str(answer.tool),)


def _numbers(
    before: list[Asked], after: list[Asked], names: dict[tuple[str, ...], str]
) -> dict[str, Any]:
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old.by_steps]
    both = [(old, new) for old, new in pairs if new.by_composite(names)]
    served = [new for _, new in both]
    asked = [
        {
            "chain": new.family.name,
            "way": new.way,
            "tools": list(new.tools),
            "why": new.why,
            "by_composite": new.by_composite(names),
            "right_before": old.right,
            "right_after": new.right,
        }
        for old, new in zip(before, after, strict=True)
    ]
    return {
        "asked": asked,
        "served": [
            {
                "request": f"{new.family.name} {new.way} {number}",
                "steps_s": old.seconds,
                "composite_s": new.seconds,
            }
            for number, (old, new) in enumerate(both)
        ],
        "requests": len(after),
        "by_steps_before": len(pairs),
        "by_composite": len(served),
        "share": len(served) / len(pairs) if pairs else None,
        "served_right": sum(one.right for one in served),
        "right_before": sum(one.right for one in before),
        "right_after": sum(one.right for one in after),
        "model_calls_before": sum(one.model_calls for one in before),
        "model_calls_after": sum(one.model_calls for one in after),
        "model_calls_served": sum(one.model_calls for one in served),
        "seconds_by_steps": _mean([old.seconds for old, _ in pairs]),
        "seconds_by_composite": _mean([one.seconds for one in served]),
    }


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
