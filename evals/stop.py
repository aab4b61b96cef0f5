"""How long it takes until nothing runs any more after `hammerstone stop --all`.

Another process's switch is pressed at random moments of a request, a proof, a new examination,
a round of learning, a skill, a connector's call, a replay, a folder's sync and the background
worker. Prints the time until no call is under way and no process of the sandbox computes, and
what began after the switch was pressed: model calls must be none.

    python -m evals.stop [--presses 50] [--seed 1] [--json FILE]
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.stop_acts import ACTS, Scene, open_scene
from hammerstone.core.errors import Stopped

LATEST_S = 2.5  # into the act
LIMIT_S = 2.0  # what nine of ten, and nineteen of twenty, stay below
GIVE_UP_S = 30.0
_SETTLED_S = 0.6  # older than any flag that was read


@dataclass(frozen=True, slots=True)
class Press:
    """One time the switch was pressed, and what came of it."""

    act: str
    after_s: float
    underway: bool  # whether the act had not ended by itself
    quiet_s: float
    model_calls_after: int
    told: bool  # whether the act ended with `Stopped`


async def press(scene: Scene, act: str, number: int, after_s: float) -> Press:
    loop = asyncio.get_running_loop()
    await ACTS[act].ready(scene, number)
    task = asyncio.ensure_future(ACTS[act].run(scene, number))
    await asyncio.wait({task}, timeout=after_s)
    underway = not task.done()
    await scene.switch.stop("all", who="drill")
    pressed_s = quiet_s = loop.time()
    while loop.time() - pressed_s < GIVE_UP_S:
        # Between two calls nothing is under way for a moment: it counts once it stays so.
        if not scene.quiet or not (task.done() or act == "worker"):
            quiet_s = loop.time()
        elif loop.time() - quiet_s > _SETTLED_S:
            break
        await asyncio.sleep(0.01)
    models = scene.model.traffic.since(pressed_s)
    if act == "worker":
        task.cancel()
    told = False
    try:
        with suppress(asyncio.CancelledError):
            await task
    except Stopped:
        told = True
    await scene.switch.resume("all")
    await asyncio.sleep(_SETTLED_S)
    return Press(act, after_s, underway, quiet_s - pressed_s, models, told)


async def drill(presses: int, seed: int) -> list[Press]:
    chance, done = random.Random(seed), list[Press]()
    with tempfile.TemporaryDirectory() as folder:
        async with open_scene(Path(folder)) as scene:
            for number in range(presses):
                act = list(ACTS)[number % len(ACTS)]
                one = await press(scene, act, number, chance.uniform(0.05, LATEST_S))
                print(_line(one), file=sys.stderr)
                done.append(one)
    return done


def at_share(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summary(presses: Sequence[Press]) -> dict[str, object]:
    met = [one for one in presses if one.underway]
    waits = [one.quiet_s for one in met]
    return {
        "presses": len(presses),
        "in_the_middle": len(met),
        "quiet_p50_s": round(at_share(waits, 0.5), 3),
        "quiet_p95_s": round(at_share(waits, 0.95), 3),
        "quiet_max_s": round(max(waits), 3),
        "model_calls_after": sum(one.model_calls_after for one in presses),
        "not_told": [one.act for one in met if not one.told and one.act != "worker"],
    }


def _line(one: Press) -> str:
    state = "in the middle" if one.underway else "had ended"
    return (
        f"{one.act:<16} after {one.after_s:4.2f} s ({state}): quiet after {one.quiet_s:5.3f} s,"
        f" model calls begun then: {one.model_calls_after}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    presses = asyncio.run(drill(options.presses, options.seed))
    found = summary(presses)
    print(
        f"{found['in_the_middle']} of {found['presses']} presses met something under way: quiet"
        f" after p50 {found['quiet_p50_s']} s, p95 {found['quiet_p95_s']} s, at most"
        f" {found['quiet_max_s']} s; model calls begun afterwards: {found['model_calls_after']}"
    )
    if options.json:
        document = {**found, "each": [asdict(one) for one in presses]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    late = float(str(found["quiet_p95_s"])) >= LIMIT_S
    sys.exit(1 if late or found["model_calls_after"] or found["not_told"] else 0)


if __name__ == "__main__":
    main()
