"""Mutants of another seed than the scoreboard's: `python -m evals.mutant_sample --seed 31415`.

Whoever wrote tests while looking at one sample reports another. Prints every mutant as JSON.
"""

import argparse
import json

from evals.mutants import mutate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=200)
    chosen = parser.parse_args()
    print(json.dumps(mutate(chosen.count, chosen.seed), indent=1))


if __name__ == "__main__":
    main()
