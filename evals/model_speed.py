"""How fast the embedded model is here: loading, first token, tokens per second idle and under load.

    python -m evals.model_speed [--set instant|quick|full] [--json]

Three things in one run. How long loading takes and the first token, for a prompt that is new, one
that begins like the last, and four samples of one prompt. Then tokens per second of one sample
and of four side by side, alone and beside processes that compute without end, as it was
(`before`: threads that spin, ordinary priority) and as it is (`after`). Both ways have a process
of their own, both alive, and take turns, so that what else runs on the machine meets both:
compare within a row.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.chat import Prompt, Reply
from hammerstone.core.evaluations import Better
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from hammerstone.models.local.client import LocalModel
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.scheduling import Scheduling
from hammerstone.models.opening import local_model_path

RULES = "You write Python. Keep every function short, typed and pure. " * 25
QUESTION = "Write a function that counts the vowels of a text, and explain it at length."
# It ends by itself, should this program be killed.
BURN = "import time\nend = time.monotonic() + 120\nwhile time.monotonic() < end: pass"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run the model process."""

    name: str
    scheduling: Scheduling
    threads: int = 0  # 0: all cores


LOAD = 4  # processes that compute without end


def _rate(situation: str, name: str) -> Reading:
    key = f"tokens_per_s {situation}"
    after, before = f"{key} after", f"{key} before"
    return Reading(after, name, "count", None, before, "as it was", Better.HIGHER)


READINGS = (
    Reading("load_s after", "loading", "s"),
    Reading("first_token new prompt first_token_s", "first token of a new prompt", "s"),
    Reading("first_token same beginning first_token_s", "first token, same beginning", "s"),
    _rate("load 0, 1 side by side", "tokens a second"),
    _rate("load 0, 4 side by side", "tokens a second, four side by side"),
    _rate(f"load {LOAD}, 1 side by side", f"tokens a second beside {LOAD} busy processes"),
)
BEFORE = Way("before", Scheduling(spin=None, raised=False))
AFTER = Way("after", Scheduling())


@contextmanager
def burning(processes: int) -> Iterator[None]:
    """As many processes that compute without end, each in a session of its own."""
    burners = [
        subprocess.Popen([sys.executable, "-c", BURN], start_new_session=True)
        for _ in range(processes)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


class Bench:
    """A model process for each way, in folders of their own."""

    def __init__(self, ways: list[Way], folder: Path) -> None:
        self._path = local_model_path(load_settings())
        self._processes = {
            way.name: ModelProcess(
                folder / way.name.replace(" ", "-"),
                self._path,
                threads=way.threads,
                idle_s=300,
                scheduling=way.scheduling,
            )
            for way in ways
        }
        self.models = {
            name: LocalModel(self._path, process.meeting.runtime_dir, timeout_s=900)
            for name, process in self._processes.items()
        }

    async def start(self) -> dict[str, float]:
        """Load them all; the seconds each took."""
        took: dict[str, float] = {}
        for name, process in self._processes.items():
            began = time.perf_counter()
            await process.ensure()
            took[name] = round(time.perf_counter() - began, 2)
        return took

    async def stop(self) -> None:
        for name, process in self._processes.items():
            await self.models[name].close()
            process.stop()


async def first_tokens(model: LocalModel) -> dict[str, Any]:
    """Seconds to the first token, and how much of the prompt was read for it."""
    system = f"{os.urandom(4).hex()} {RULES}"  # new each time, so that the first call is cold
    found: dict[str, Any] = {}
    prompts = {
        "new prompt": Prompt.of(system, QUESTION, max_tokens=4),
        "same beginning": Prompt.of(system, f"{QUESTION} Go.", max_tokens=4),
        "new prompt, 4 samples": Prompt.of(f"Now {system}", QUESTION, samples=4, max_tokens=4),
    }
    for name, prompt in prompts.items():
        first_s, _, reply = await timed(model, prompt)
        usage = reply.usage
        found[name] = {
            "first_token_s": round(first_s, 2),
            "prompt_tokens": usage.prompt_tokens,
            "read": usage.prompt_tokens - usage.cached_tokens,
        }
    return found


async def rates(
    bench: Bench, rounds: int, tokens: int, load: int
) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Median tokens per second by situation and way, and the load average before each round."""
    seen: dict[str, dict[str, list[float]]] = {}
    loads: list[float] = []
    for model in bench.models.values():
        await model.complete(Prompt.of("You write Python.", QUESTION, max_tokens=2))
    for number in range(rounds):
        loads.append(round(os.getloadavg()[0], 1))
        for burners in (0, load):
            with burning(burners):
                for samples in (1, 4):
                    row = seen.setdefault(f"load {burners}, {samples} side by side", {})
                    for name, model in bench.models.items():
                        prompt = Prompt.of(
                            "You write Python.",
                            QUESTION,
                            samples=samples,
                            temperature=0.8,
                            seed=number,
                            max_tokens=max(2, tokens if samples == 1 else tokens // 2),
                        )
                        _, rate, _ = await timed(model, prompt)
                        row.setdefault(name, []).append(rate)
    medians = {
        situation: {name: round(statistics.median(all_), 1) for name, all_ in row.items()}
        for situation, row in seen.items()
    }
    return medians, loads


async def timed(model: LocalModel, prompt: Prompt) -> tuple[float, float, Reply]:
    """Seconds to the first token, tokens per second after it, and the reply."""
    began = time.perf_counter()
    first: list[float] = []

    def seen(_index: int, _piece: str) -> None:
        if not first:
            first.append(time.perf_counter())

    reply = await model.complete(prompt, on_token=seen)
    written = max(1, reply.usage.output_tokens - prompt.samples)
    return first[0] - began, written / (time.perf_counter() - first[0]), reply


async def measure(count: int, tokens: int, load: int) -> dict[str, Any]:
    """Loading, first tokens and rates of the model, as it was and as it is."""
    with tempfile.TemporaryDirectory(prefix="model-speed-") as folder:
        bench = Bench([BEFORE, AFTER], Path(folder))
        try:
            load_s = await bench.start()
            found = await first_tokens(bench.models[AFTER.name])
            medians, loads = await rates(bench, count, tokens, load)
        finally:
            await bench.stop()
    return {
        "load_s": load_s,
        "first_token": found,
        "tokens_per_s": medians,
        "after_to_before": {
            situation: round(row[AFTER.name] / row[BEFORE.name], 2)
            for situation, row in medians.items()
        },
        "load_average_before": statistics.median(loads),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """One round; within it all ways take turns."""
    count = amount(context, instant=1, quick=1, full=3)

    async def once() -> dict[str, Any]:
        return await own_process(measure, count=count, tokens=32, load=LOAD)

    async for finding in rounds(context, 1, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("model_speed")
