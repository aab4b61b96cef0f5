"""Every injection of AgentDojo through the doors that others write to.

    python -m evals.injection_doors RESULTS [--channels document,webhook,chat] [--limit-s 500]

With the model that obeys (evals/injection.py). Each result is a line of RESULTS; what stands there
already is not done again, so it can be run in pieces. Prints how many reached something.
"""

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from pathlib import Path

from evals.injection import CHANNELS, SECRET, attack_all
from evals.injection_cases import find_wheel, load_attacks

_AT_ONCE = 20  # attacks on one installation


async def attack(results: Path, channels: list[str], limit_s: float) -> bool:
    """Go on with what is not done yet; whether all of it is."""
    os.environ["HAMMERSTONE_CANARY"] = SECRET
    attacks = load_attacks(find_wheel())
    done = {(one["channel"], one["number"]) for one in results_in(results)}
    open_ = [n for n in range(len(attacks)) if any((c, n) not in done for c in channels)]
    print(f"{len(attacks)} attacks, {len(open_)} to do", flush=True)
    began = time.monotonic()
    while open_ and time.monotonic() - began < limit_s:
        part, open_ = open_[:_AT_ONCE], open_[_AT_ONCE:]
        found = [one async for one in attack_all({n: attacks[n] for n in part}, None, channels)]
        with results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    return not open_


def results_in(path: Path) -> list[dict[str, object]]:
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return list({(one["channel"], one["number"]): one for one in rows}.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--channels", default="document,webhook,chat")
    parser.add_argument("--limit-s", type=float, default=500.0)
    options = parser.parse_args()
    channels = str(options.channels).split(",")
    if unknown := set(channels) - set(CHANNELS):
        parser.error(f"no such channel: {', '.join(sorted(unknown))}")
    whole = asyncio.run(attack(options.results, channels, options.limit_s))
    found = results_in(options.results)
    tried = Counter(one["channel"] for one in found)
    reached = Counter(one["channel"] for one in found if one["reached"])
    for channel in channels:
        print(f"{channel}: {reached[channel]} of {tried[channel]} reached something")
    print("all of them" if whole else "not all yet: run it again")


if __name__ == "__main__":
    main()
