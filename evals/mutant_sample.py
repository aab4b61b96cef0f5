"""Mutants of another seed than the scoreboard's: `python -m evals.mutant_sample --seed 31415`.

Whoever wrote tests while looking at one sample reports another. Prints every mutant as JSON. With
`--tests`, only the tests of these folders are traced, which takes minutes instead of an hour, and
the share is the lower for it.
"""

import argparse
import json

from evals.line_tests import FOLDERS
from evals.mutants import mutate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--tests", action="append", metavar="FOLDER")
    chosen = parser.parse_args()
    print(json.dumps(mutate(chosen.count, chosen.seed, chosen.tests or FOLDERS), indent=1))


if __name__ == "__main__":
    main()
