"""A thousand requests over forty sessions: with learning, without it, each mechanism off in turn.

    python -m evals.replay [--set instant|quick|full] [--json]

The stream (evals/replaying/stream.py) is made by a seeded program: 25 % exact repeats, 25 %
paraphrases, 25 % new values, 15 % chains of 2 to 4 tools, 5 % new needs, 5 % with an injected
failure. The model's replies come from a recording; its seconds are charged by tokens at the
embedded model's measured pace, the rest is measured processor time. What learning itself asks of
the model is counted in columns of its own. The starter tools are there in every variant. Beside it
a plain LangGraph agent with the same tools and the same model. A variant that has ended is kept in
`build/replay/` and not run again (evals/replay_runs.py runs single ones); tables and pictures are
written there too.
docs/design/replay.md says what is recorded and what came out.
"""

import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

from evals.measured import measured
from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.collect import Collector
from evals.replaying.kept_runs import FOLDER, kept_runs, seed_folder
from evals.replaying.report import (
    FASTER,
    FEWER_CALLS,
    LAST,
    PUBLISHED,
    ReplayPoint,
    ReplayTargets,
    kinds_table,
    plot,
    purposes_table,
    table,
)
from evals.replaying.stream import Stream
from evals.replaying.variants import ABLATIONS, AGENT, AGENT_TITLE, OFF, ON
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.errors import ModelNonsense, ModelUnavailable
from hammerstone.core.evaluations import MetricValue
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.evaluation.families.families import read_check
from hammerstone.models.fakes import DrawBook, DrawnModel

RECORDING = "evals/data/replay_draws.jsonl.gz"
PLOTTED = (
    ("calls", "model calls a request"),
    ("tokens", "tokens a request"),
    ("mean_s", "virtual seconds a request"),
    ("success", "share of right answers"),
)

Runs = Mapping[str, Sequence[ReplayOutcome]]


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The curve of every variant as cases, and the targets on the last requests."""
    families = context.file("requests/families.jsonl")
    recording = context.file(RECORDING)
    requests = Stream(families.parent).draw()
    count = amount(context, instant=100, quick=300, full=len(requests))
    part = amount(context, instant=0, quick=100, full=300)
    drawn = recorded(recording)
    kept = kept_runs(recording, context.say)
    runs: dict[str, list[ReplayOutcome]] = {}
    with tempfile.TemporaryDirectory(prefix="hammerstone-replay-") as folder:
        bench = Bench(
            context.settings,
            drawn,
            read_check(families),
            families.parent.parent,
            Path(folder),
            seed_folder(),
        )
        for variant in (OFF, ON):
            runs[variant.title] = await kept.run(bench, variant.name, requests[:count])
        for variant in ABLATIONS if part else ():
            runs[variant.title] = await kept.run(bench, variant.name, requests[:part])
        if part:
            runs[AGENT_TITLE] = await kept.run(bench, AGENT, requests[count - part : count])
    keep(runs)
    for name, outcomes in runs.items():
        for at in range(0, len(outcomes), 100):
            point = ReplayPoint.of(outcomes[at : at + 100])
            numbers = {one: getattr(point, one) for one in ReplayPoint.__slots__}
            yield case(f"{name}, requests {at + 1} to {at + point.requests}", True, numbers)
    for finding in targets(runs):
        yield finding


def keep(runs: Runs) -> None:
    """The tables and the pictures as files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = [table(runs), kinds_table(runs), purposes_table(runs)]
    text = "\n\n".join([*parts, f"Published for such systems: {PUBLISHED}."])
    (FOLDER / "replay.txt").write_text(text + "\n")
    for name, title in PLOTTED:
        (FOLDER / f"{name}.svg").write_text(plot(runs, name, title))


def targets(runs: Runs) -> list[MetricValue]:
    off, on = runs[OFF.title], runs[ON.title]
    found = ReplayTargets.of(off, on)
    unrecorded = sum(one.unrecorded for one in (*off, *on))
    last = f"on the last {min(LAST, len(on))}"
    return [
        higher(f"fewer model calls {last}", found.fewer_calls, target=FEWER_CALLS,
               baseline=0.4, baseline_name="published"),
        higher(f"the same with what learning asks, {last}", found.fewer_with_learning),
        higher(f"median time shorter {last}, times", found.faster, "count", target=FASTER,
               baseline=1.0, baseline_name=OFF.title),
        higher(f"right {last}", found.success, baseline=found.success_off, baseline_name=OFF.title),
        lower("requests that end because something is not recorded", unrecorded, "count"),
        lower("model calls a request, all", ReplayPoint.of(on).calls, "count",
              baseline=ReplayPoint.of(off).calls, baseline_name=OFF.title),
    ]  # fmt: skip


def recorded(path: Path, lacking: Collector | None = None) -> DrawnModel:
    """The recording, with nothing behind it but what stands in for readers of arguments."""
    reader = SilentReader(lacking)
    reader.drawn = DrawnModel(DrawBook.read(path), reader)
    return reader.drawn


class SilentReader:
    """Stands in where nothing is recorded: whoever reads arguments finds none, so that the request
    is solved like any other, and everything else fails."""

    name = "recorded"

    def __init__(self, lacking: Collector | None) -> None:
        self._lacking = lacking
        self.drawn: DrawnModel | None = None

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        if self._lacking is not None:
            self._lacking.missing(prompt, prompt.samples)
        if self.drawn is not None:
            self.drawn.missed += 1
        if prompt.purpose == "arguments":
            raise ModelNonsense("no such reply is recorded", text="")
        raise ModelUnavailable(f"this prompt is not recorded (purpose {prompt.purpose!r})")

    async def close(self) -> None:
        return


if __name__ == "__main__":
    measured("replay")
