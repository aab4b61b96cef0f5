"""Single runs of the replay, to be kept, shown, or done live.

    python -m evals.replay_runs --variant NAME [--count 1000]    one variant, to be kept
    python -m evals.replay_runs --variant off --after 700 --count 300    a piece of it
    python -m evals.replay_runs --variant NAME --ask    the embedded model says what is not recorded
    python -m evals.replay_runs --kept N    what is kept, for the first N requests
    python -m evals.replay_runs --live N    the first N requests with the embedded model itself

`python -m evals.replay` measures all of them and does not run again what is kept. Several
processes may run a variant each. Without learning no request depends on those before it, so that
variant may run in pieces, which `--kept` puts together. What a run asked for and is not recorded
is in `build/replay/missing/`, as rows for evals/replaying/collect.py; with `--ask` the embedded
model is asked once for each, and its replies become part of the recording.
"""

import argparse
import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

from evals.replay import RECORDING, keep, recorded, targets
from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.collect import DATA, Collector
from evals.replaying.kept_runs import FOLDER, KeptRuns, kept_runs, seed_folder
from evals.replaying.report import LAST, kinds_table, table
from evals.replaying.stream import ReplayRequest, Stream
from evals.replaying.variants import ABLATIONS, AGENT, AGENT_TITLE, OFF, ON, VARIANTS
from hammerstone.core.chat import Role
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.families.families import read_check
from hammerstone.models.fakes import DrawBook, DrawnModel
from hammerstone.models.opening import open_models

LIVE_DRAWS = FOLDER / "live_draws.jsonl"
ASKED = FOLDER / "asked.jsonl"
LIVE_TITLE = "live"
PIECE = "after-"  # folders of pieces, by how many requests stand before them


async def one_variant(name: str, count: int, after: int = 0) -> None:
    """Run a variant, to be kept; several processes may do one each."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lacking = Collector(FOLDER / "missing", name)
    drawn = recorded(Path(RECORDING), lacking)
    kept = kept_runs(Path(RECORDING), part=f"{PIECE}{after}" if after else "")
    await _run(drawn, kept, name, count, after)
    print(f"\n{lacking.found} prompts are not recorded")


async def asking_variant(name: str, count: int, after: int = 0) -> None:
    """Run a variant whose missing replies the embedded model gives, once for all later runs."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    models = open_models(load_settings())
    book = DrawBook.read(Path(RECORDING), ASKED)
    drawn = DrawnModel(book, models.for_role(Role.CODER), keep_in=ASKED)
    kept = kept_runs(Path(RECORDING), part=f"{PIECE}{after}" if after else "")
    try:
        await _run(drawn, kept, name, count, after)
    finally:
        await models.close()
        DrawBook.read(Path(RECORDING), ASKED).write(Path(RECORDING))
        ASKED.unlink(missing_ok=True)  # read twice, its replies would count twice
    print(f"\n{drawn.asked} prompts were asked of the embedded model")


async def live(count: int) -> None:
    """The first requests with learning, each prompt answered by the embedded model itself.

    Proofs and rounds of learning ask it, too. The replies are kept, so that a run which was broken
    off goes on where it was; seconds are those of the pace, as everywhere.
    """
    models = open_models(load_settings())
    FOLDER.mkdir(parents=True, exist_ok=True)
    drawn = DrawnModel(DrawBook.read(LIVE_DRAWS), models.for_role(Role.CODER), keep_in=LIVE_DRAWS)
    variant = replace(ON, name="live", title=LIVE_TITLE)
    outcomes: list[ReplayOutcome] = []
    try:
        with tempfile.TemporaryDirectory(prefix="hammerstone-replay-") as folder:
            requests = _stream()[:count]
            outcomes = await _bench(drawn, folder).run(variant, requests, _told)
    finally:
        await models.close()
    print(table({LIVE_TITLE: outcomes}), kinds_table({LIVE_TITLE: outcomes}), sep="\n\n")


def _told(outcome: ReplayOutcome) -> None:
    right = "right" if outcome.right else "wrong"
    print(f"{outcome.number}: {outcome.calls} calls, {right}: {outcome.told[:60]}", flush=True)


def shown(count: int) -> None:
    """Tables, pictures and targets of what is kept, for the first `count` requests."""
    kept = kept_runs(Path(RECORDING))
    runs: dict[str, list[ReplayOutcome]] = {}
    for variant in (OFF, ON, *ABLATIONS):
        most = count if variant in (OFF, ON) else min(count, LAST)
        if (known := _known(kept, variant.name, most)) is not None:
            runs[variant.title] = known
    if (agent := kept.find(AGENT, LAST)) is not None:
        runs[AGENT_TITLE] = agent
    keep(runs)
    print((FOLDER / "replay.txt").read_text())
    for found in targets(runs):
        beside = "" if found.baseline is None else f", {found.baseline_name} {found.baseline:.3g}"
        wanted = "" if found.target is None else f", asked {found.target:g}"
        print(f"{found.name}: {found.value:.3g}{beside}{wanted}")


def _known(kept: KeptRuns, name: str, count: int) -> list[ReplayOutcome] | None:
    """A kept run, or the beginning of a longer one: it is the same."""
    longer = sorted(int(one.stem.rpartition("-")[2]) for one in FOLDER.glob(f"{name}-*.jsonl"))
    for size in (one for one in longer if one >= count):
        if (known := kept.find(name, size)) is not None:
            return known[:count]
    return _of_pieces(count) if name == OFF.name else None


def _of_pieces(count: int) -> list[ReplayOutcome] | None:
    """The run without learning out of its pieces; None where one is missing."""
    found: dict[int, ReplayOutcome] = {}
    for folder in (FOLDER, *sorted(FOLDER.glob(f"{PIECE}*"))):
        kept = kept_runs(Path(RECORDING), part=folder.name if folder != FOLDER else "")
        for path in folder.glob(f"{OFF.name}-*.jsonl"):
            known = kept.find(OFF.name, int(path.stem.rpartition("-")[2]))
            found.update({one.number: one for one in known or ()})
    whole = [found[number] for number in range(count) if number in found]
    return whole if len(whole) == count else None


async def _run(drawn: DrawnModel, kept: KeptRuns, name: str, count: int, after: int) -> None:
    requests = _stream()
    requests = requests[-count:] if name == AGENT else requests[after : after + count]
    with tempfile.TemporaryDirectory(prefix="hammerstone-replay-") as folder:
        outcomes = await kept.run(_bench(drawn, folder), name, requests)
    title = VARIANTS[name].title if name in VARIANTS else AGENT_TITLE
    print(table({title: outcomes}), kinds_table({title: outcomes}), sep="\n\n")


def _stream() -> list[ReplayRequest]:
    return Stream(DATA / "requests").draw()


def _bench(drawn: DrawnModel, folder: str) -> Bench:
    check = read_check(DATA / "requests/families.jsonl")
    return Bench(load_settings(), drawn, check, DATA, Path(folder), seed_folder())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=[*VARIANTS, AGENT])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--live", type=int, default=0)
    parser.add_argument("--kept", type=int, default=0)
    options = parser.parse_args()
    if options.live:
        asyncio.run(live(options.live))
    elif options.kept:
        shown(options.kept)
    elif options.variant:
        if options.after and options.variant != OFF.name:
            parser.error("only the run without learning may begin later")
        run = asking_variant if options.ask else one_variant
        asyncio.run(run(options.variant, options.count, options.after))
    else:
        parser.print_help()


if __name__ == "__main__":
    main()
