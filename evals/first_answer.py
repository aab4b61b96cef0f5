"""From a fresh clone in an empty folder to the first answer, split into its parts.

    python -m evals.first_answer [--set instant|quick|full] [--json]

Clones this repository's HEAD, sets it up with an empty data directory, asks one request with the
embedded model, asks it again, and reads the split out of the trace. `overhead` is everything in
the answer that is neither the model loading nor the model reading and writing: start of Python,
search, sandbox, verification, storage. The library begins without the starter tools, so that a
tool has to be built, and with empty caches of pip and uv.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    case,
    flat,
    lower,
)

ROOT = Path(__file__).resolve().parent.parent
REQUEST = "What is 17.5% of 240?"


class Clock:
    def __init__(self) -> None:
        self.parts: dict[str, float] = {}

    def run(self, part: str, command: list[str], cwd: Path, env: dict[str, str]) -> str:
        began = time.perf_counter()
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
        self.parts[part] = time.perf_counter() - began
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout


def union(spans: list[dict[str, Any]]) -> float:
    """Seconds covered by at least one of the spans."""
    from datetime import datetime

    edges = sorted(
        (
            begin := datetime.fromisoformat(span["started_at"]).timestamp(),
            begin + span["duration_s"],
        )
        for span in spans
    )
    covered, end = 0.0, float("-inf")
    for begin, finish in edges:
        covered += max(0.0, finish - max(begin, end))
        end = max(end, finish)
    return covered


def split(trace: dict[str, Any]) -> dict[str, float]:
    spans = trace["spans"]
    models = [span for span in spans if span["kind"] == "model"]

    def purpose(*names: str) -> float:
        return union([s for s in models if s["attributes"].get("hammerstone.purpose") in names])

    loads = [span for span in spans if span["name"].startswith("load model")]
    parts = {"load": union(loads)}
    for name, purposes in {
        "spec": ("spec",),
        "arguments": ("arguments",),
        "tests": ("tests",),
        "code": ("code", "repair"),
    }.items():
        parts[name] = purpose(*purposes)
    first = next((n for n in ("spec", "arguments") if parts[n] > parts["load"] > 0), None)
    if first:
        parts[first] -= parts["load"]  # the first call to the model waited for it to load
    parts["run"] = union([span for span in spans if span["kind"] == "tool"])
    sandboxed = [s for s in spans if s["kind"] == "sandbox"]
    parts["verify"] = max(0.0, union(sandboxed) - parts["run"])
    parts["model"] = union(models) - parts["load"]
    return parts


def measure(request: str, keep_wheels: bool, starter: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="first-answer-") as folder:
        home = Path(folder)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("HAMMERSTONE_", "VIRTUAL"))}
        env["HAMMERSTONE_DATA_DIR"] = str(home / "data")
        env["HAMMERSTONE_STARTER_TOOLS"] = str(int(starter))
        if not keep_wheels:
            env |= {"PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1", "XDG_CACHE_HOME": str(home / "c")}
        clock = Clock()
        clock.run("clone", ["git", "clone", "-q", f"file://{ROOT}", "clone"], home, env)
        clone = home / "clone"
        command = str(clone / ".venv" / "bin" / "hammerstone")
        clock.run("install", ["make", "-s", "setup"], clone, env)
        clock.run("pull", [command, "model", "pull"], clone, env)
        answer = json.loads(clock.run("answer", [command, "ask", "--json", request], clone, env))
        again = json.loads(clock.run("again", [command, "ask", "--json", request], clone, env))
        show = [command, "traces", "show", "--json", answer["trace_id"]]
        trace = json.loads(clock.run("read", show, clone, env))
        subprocess.run([command, "model", "stop"], cwd=clone, env=env, capture_output=True)
    parts = split(trace)
    outer = clock.parts
    total = outer["clone"] + outer["install"] + outer["pull"] + outer["answer"]
    return {
        "total_s": total,
        "clone_s": outer["clone"],
        "install_s": outer["install"],
        "pull_s": outer["pull"],
        "answer_s": outer["answer"],
        **{f"{name}_s": seconds for name, seconds in parts.items()},
        "overhead_s": outer["answer"] - parts["load"] - parts["model"],
        "again_s": outer["again"],
        "again_model_calls": again["cost"]["model_calls"],
        "answer": answer["text"],
        "confidence": answer["confidence"],
        "tool": answer["tool"],
        "model_calls": answer["cost"]["model_calls"],
        "tokens": answer["cost"]["tokens"],
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The parts of the first answer, without starter tools and with empty caches."""
    found = await own_process(measure, request=REQUEST, keep_wheels=False, starter=False)
    yield case(
        "first answer", "42" in found["answer"], asked=REQUEST, given=found["answer"], wanted="42",
        numbers=dict(flat(found)), tokens=found["tokens"], seconds=found["answer_s"],
    )  # fmt: skip
    again = found["again_model_calls"]
    yield case(
        "asked again",
        not again,
        asked=REQUEST,
        given=f"{again} model calls",
        wanted="no model call",
    )
    for key, name in (
        ("total_s", "from clone to answer"),
        ("install_s", "installing"),
        ("answer_s", "the answer"),
        ("load_s", "loading the model"),
        ("model_s", "the model reading and writing"),
        ("overhead_s", "everything else in the answer"),
        ("again_s", "asked again"),
    ):
        yield lower(name, found[key], "s")


if __name__ == "__main__":
    measured("first_answer")
