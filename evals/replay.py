"""A thousand requests over forty sessions: with learning, without it, each mechanism off in turn.

    python -m evals.replay [--set instant|quick|full] [--json]

The stream (evals/replaying/stream.py) is made by a seeded program: 25 % exact repeats, 25 %
paraphrases, 25 % new values, 15 % chains of 2 to 4 tools, 5 % new needs, 5 % with an injected
failure. The model's replies come from a recording; its seconds are charged by tokens at the
embedded model's measured pace, the rest is measured processor time. What learning itself asks of
the model is counted in columns of its own. The starter tools are there in every variant. Beside it
a plain LangGraph agent with the same tools and the same model. Tables and pictures are written to
`build/replay/`. docs/design/replay.md says what is recorded and what is not.
"""

import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evals.measured import measured
from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.report import (
    FASTER,
    FEWER_CALLS,
    LAST,
    PUBLISHED,
    ReplayPoint,
    ReplayTargets,
    kinds_table,
    paired,
    plot,
    table,
)
from evals.replaying.stream import ReplayRequest, Stream
from evals.replaying.variants import ABLATIONS, OFF, ON
from hammerstone.core.chat import Role
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
    requests = Stream(families.parent).draw()
    count = amount(context, instant=100, quick=300, full=len(requests))
    part = amount(context, instant=0, quick=100, full=300)
    drawn = DrawnModel(DrawBook.read(context.file(RECORDING)))
    with tempfile.TemporaryDirectory(prefix="hammerstone-replay-") as folder:
        bench = Bench(
            context.settings, drawn, read_check(families), families.parent.parent, Path(folder)
        )
        runs: dict[str, list[ReplayOutcome]] = {}
        for variant in (OFF, ON):
            context.say(variant.title)
            runs[variant.title] = await bench.run(variant, requests[:count])
        for variant in ABLATIONS if part else ():
            context.say(variant.title)
            runs[variant.title] = await bench.run(variant, requests[:part])
        if part:
            context.say("a plain LangGraph agent")
            runs["a plain LangGraph agent"] = await agent_run(bench, requests[count - part : count])
    keep(runs, Path("build/replay"))
    for name, outcomes in runs.items():
        for at in range(0, len(outcomes), 100):
            point = ReplayPoint.of(outcomes[at : at + 100])
            numbers = {one: getattr(point, one) for one in ReplayPoint.__slots__}
            yield case(f"{name}, requests {at + 1} to {at + point.requests}", True, numbers)
    for finding in _targets(runs):
        yield finding


async def agent_run(bench: Bench, requests: Sequence[ReplayRequest]) -> list[ReplayOutcome]:
    """The same requests through a plain LangGraph agent."""
    from evals.replaying.langgraph_agent import PlainAgent, ask_agent

    await bench.prepare()
    async with bench.opened(replace(OFF, name="agent")) as sitting:
        agent = PlainAgent(sitting.hs, sitting.models.for_role(Role.CODER))
        return [await ask_agent(sitting, agent, one) for one in requests]


def keep(runs: Runs, folder: Path) -> None:
    """The tables and the pictures as files."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"{table(runs)}\n\n{kinds_table(runs)}\n\nPublished for such systems: {PUBLISHED}.\n"
    (folder / "replay.txt").write_text(text)
    for name, title in PLOTTED:
        (folder / f"{name}.svg").write_text(plot(runs, name, title))


def _targets(runs: Runs) -> list[Finding]:
    off, on = runs[OFF.title], runs[ON.title]
    found = ReplayTargets.of(off, on)
    left_out = len(on) - len(paired([off, on])[0])
    last = f"on the last {min(LAST, len(on))}"
    return [
        higher(f"fewer model calls {last}", found.fewer_calls, target=FEWER_CALLS,
               baseline=0.4, baseline_name="published"),
        higher(f"the same with what learning asks, {last}", found.fewer_with_learning),
        higher(f"median time shorter {last}, times", found.faster, "count", target=FASTER,
               baseline=1.0, baseline_name=OFF.title),
        higher(f"right {last}", found.success, baseline=found.success_off, baseline_name=OFF.title),
        lower("requests left out: something is not recorded", left_out, "count"),
        lower("model calls a request, all", ReplayPoint.of(on).calls, "count",
              baseline=ReplayPoint.of(off).calls, baseline_name=OFF.title),
    ]  # fmt: skip


if __name__ == "__main__":
    measured("replay")
