"""How fast the embedded model is here: loading, first token cold and cached, tokens per second.

python -m evals.model_speed [--json FILE]
"""

import argparse
import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from hammerstone.core.chat import Prompt, Reply
from hammerstone.core.settings import load_settings
from hammerstone.models.local.client import LocalModel
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.opening import local_model_path

RULES = "You write Python. Keep every function short, typed and pure. " * 25


async def measure() -> dict[str, Any]:
    settings = load_settings()
    path = local_model_path(settings)
    process = ModelProcess(settings.runtime_dir, path, threads=settings.model_threads)
    was_up = process.find() is not None
    began = time.perf_counter()
    await process.ensure()
    load_s = time.perf_counter() - began
    model = LocalModel(path, settings.runtime_dir, threads=settings.model_threads)
    system = f"{os.urandom(4).hex()} {RULES}"  # new each time, so that the first call is cold
    question = "Write a function that counts the vowels of a text, and explain it at length."
    cold_s, cold = await _timed(model, Prompt.of(system, question, max_tokens=8))
    cached_s, cached = await _timed(model, Prompt.of(system, question + " Go.", max_tokens=8))
    rates = {}
    for samples in (1, 4):
        prompt = Prompt.of(
            system, question, samples=samples, temperature=0.8, seed=1, max_tokens=64
        )
        first_s, reply = await _timed(model, prompt)
        rates[str(samples)] = round(reply.usage.output_tokens / (reply.usage.seconds - first_s), 1)
    await model.close()
    return {
        "load_s": None if was_up else round(load_s, 2),
        "prompt_tokens": cold.usage.prompt_tokens,
        "first_token_cold_s": round(cold_s, 3),
        "cached_tokens": cached.usage.cached_tokens,
        "first_token_cached_s": round(cached_s, 3),
        "tokens_per_s_by_samples": rates,
    }


async def _timed(model: LocalModel, prompt: Prompt) -> tuple[float, Reply]:
    began = time.perf_counter()
    first: list[float] = []

    def seen(_index: int, _piece: str) -> None:
        if not first:
            first.append(time.perf_counter() - began)

    reply = await model.complete(prompt, on_token=seen)
    return first[0], reply


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = asyncio.run(measure())
    for name, value in result.items():
        print(f"{name:<26} {value}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
