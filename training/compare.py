"""Two folders of tests against each other: `python -m training.compare SHARED BEFORE AFTER...`.

For each set of requests the greedy reply, the vote of eight, each reply and some reply, then
general ability; the difference is paired by request, its interval (95 %) by drawing requests anew.
"""

import argparse
import asyncio
import random
import statistics
from collections.abc import Sequence
from pathlib import Path

from hammerstone.core.settings import load_settings
from hammerstone.sandbox import open_sandbox
from training.filter import vote
from training.general_scores import GeneralJudge, Scores
from training.lines import read_lines

SETS = ("dev", "families", "held", "plain", "valid")
_DRAWS = 4000


def paired_interval(differences: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Where the mean of paired differences lies, in 95 of 100 draws of the rows."""
    chance, count = random.Random(seed), len(differences)
    means = sorted(statistics.fmean(chance.choices(differences, k=count)) for _ in range(_DRAWS))
    return means[int(0.025 * _DRAWS)], means[int(0.975 * _DRAWS) - 1]


def request_scores(folder: Path, sets: Sequence[str] = SETS) -> Scores:
    """What each request of each set got, by way of answering."""
    found: Scores = {}
    for name in sets:
        path = folder / f"{name}_scored.jsonl"
        if not path.exists():
            continue
        for row in read_lines(path):
            right, at = row["right"], vote(row["values"])
            ways = {
                "greedy": float(right[0]),
                "vote of 8": float(at is not None and right[at]),
                "each": sum(right) / len(right),
                "some of 8": float(any(right)),
            }
            for way, score in ways.items():
                found.setdefault(f"{name}: {way}", {})[row["id"]] = score
    return found


def table(before: Scores, after: Scores) -> list[str]:
    """One line a part."""
    lines: list[str] = []
    for part, known in before.items():
        both = [name for name in known if name in after.get(part, {})]
        if not both:
            continue
        old, new = [known[name] for name in both], [after[part][name] for name in both]
        low, high = paired_interval([n - o for o, n in zip(old, new, strict=True)])
        first, then = 100 * statistics.fmean(old), 100 * statistics.fmean(new)
        lines.append(f"{part:28s} {len(both):4d}  {first:5.1f} -> {then:5.1f}  "
                     f"{then - first:+5.1f} [{100 * low:+.1f}, {100 * high:+.1f}]")  # fmt: skip
    return lines


async def _general(shared: Path, folders: Sequence[Path]) -> list[Scores]:
    sandbox = await open_sandbox(load_settings())
    try:
        judge = GeneralJudge(sandbox, shared / "data")
        return [await judge.scores(folder) for folder in folders]
    finally:
        await sandbox.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="+")
    parser.add_argument("--only-requests", action="store_true", help="leave out general ability")
    options = parser.parse_args()
    folders = [options.before, *options.after]
    scores = [request_scores(folder) for folder in folders]
    if not options.only_requests:
        general = asyncio.run(_general(options.shared, folders))
        scores = [one | more for one, more in zip(scores, general, strict=True)]
    for folder, after in zip(options.after, scores[1:], strict=True):
        print(f"{options.before} -> {folder}", *table(scores[0], after), sep="\n")


if __name__ == "__main__":
    main()
