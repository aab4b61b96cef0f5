"""Runs of the replay that are kept: what has ended is read, not run again.

Each variant is a file in `build/replay/`, written while it runs and named when it has ended. It
counts while the recording, the stream and the product are the same as when it ran.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.stream import ReplayRequest
from evals.replaying.variants import AGENT, VARIANTS

FOLDER = Path("build/replay")
_SOURCES = (Path("src/hammerstone"), Path("evals/replaying"))
_ENDINGS = (".py", ".md", ".json", ".gguf")


@dataclass(frozen=True, slots=True)
class KeptRuns:
    """The folder of the runs; `say` tells which ones are read and which are run.

    A run that lacked nothing in its recording stays as it is while the recording grows.
    """

    recording: str  # the hash of its file
    say: Callable[[str], None] = print
    folder: Path = FOLDER
    product: str = ""  # the mark of everything else that a run depends on

    async def run(
        self, bench: Bench, name: str, requests: Sequence[ReplayRequest]
    ) -> list[ReplayOutcome]:
        """A variant's outcomes: those that are kept, or else it runs now."""
        known = self.find(name, len(requests))
        if known is not None:
            self.say(f"{name}: {len(known)} requests, kept from an earlier run")
            return known
        self.say(f"{name}: {len(requests)} requests")
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self._path(name, len(requests)).with_suffix(".part")
        before = bench.drawn.missed
        with draft.open("w", encoding="utf-8") as file:

            def keep(outcome: ReplayOutcome) -> None:
                file.write(json.dumps(asdict(outcome)) + "\n")
                file.flush()

            if name == AGENT:
                outcomes = await bench.run_agent(requests, keep)
            else:
                outcomes = await bench.run(VARIANTS[name], requests, keep)
            missed = bench.drawn.missed - before
            about = {"product": self.product, "recording": self.recording, "missed": missed}
            file.write(json.dumps(about) + "\n")
        draft.rename(self._path(name, len(requests)))
        return outcomes

    def find(self, name: str, count: int) -> list[ReplayOutcome] | None:
        """A run that has ended with the same product and recording; None without one."""
        path = self._path(name, count)
        if not path.is_file():
            return None
        *rows, about = map(json.loads, path.read_text("utf-8").splitlines())
        same = not about["missed"] or about["recording"] == self.recording
        if about["product"] != self.product or not same:
            self.say(f"{name}: the product or the recording has changed since {path}")
            return None
        return [ReplayOutcome(**row) for row in rows]

    def _path(self, name: str, count: int) -> Path:
        return self.folder / f"{name}-{count}.jsonl"


def kept_runs(recording: Path, say: Callable[[str], None] = print, part: str = "") -> KeptRuns:
    """The runs with this recording of the product as it is now."""
    known = hashlib.sha256(recording.read_bytes()).hexdigest()[:16]
    return KeptRuns(known, say, FOLDER / part, product_mark())


def seed_folder() -> Path:
    """The library that every variant of the product as it is now begins with."""
    return FOLDER / f"seed-{product_mark()}"


def product_mark() -> str:
    """One name for the stream and the product as they are now."""
    found = hashlib.sha256()
    files = (path for folder in _SOURCES for path in folder.rglob("*"))
    for path in sorted(path for path in files if path.suffix in _ENDINGS):
        found.update(str(path).encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]
