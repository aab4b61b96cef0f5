"""A product with a suite and a bench whose copies ask a scripted model."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel

Says = Callable[[Prompt], Line]


def times_suite(folder: Path, cases: int = 14, **more: object) -> Path:
    """A suite about multiplying; the right answers are known."""
    target = folder / "suites" / "times"
    target.mkdir(parents=True)
    (target / "suite.toml").write_text('name = "times"\n')
    rows = [
        {"id": f"c{n}", "request": f"What is {n} times {n + 2}?", "expect": n * (n + 2)} | more
        for n in range(2, cases + 2)
    ]
    (target / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return target


def solution(expression: str) -> str:
    return (
        f"```python\ndef work(a, b):\n    return {expression}\n\nanswer = work({{a}}, {{b}})\n```"
    )


def numbers_of(prompt: Prompt) -> tuple[str, str]:
    words = prompt.messages[-1].text.split("What is ")[-1].split("?")[0].split(" times ")
    return words[0].strip(), words[1].strip()


def answering(expression: str) -> Says:
    """A model that writes the same program for every request."""

    def say(prompt: Prompt) -> Line:
        if prompt.purpose != "solution":
            return "{}"
        a, b = numbers_of(prompt)
        return solution(expression).replace("{a}", a).replace("{b}", b)

    return say


@asynccontextmanager
async def evolving(folder: Path, say: Says) -> AsyncIterator[Hammerstone]:
    settings = load_settings(data_dir=folder, embedder="off", starter_tools=False)
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(say))) as hs:
        hs.evolution.use_bench(ProductBench(hs, lambda: OneModel(ScriptedModel(say))))
        yield hs
