"""`python -m evals.NAME` for every measurement of this folder: `hammerstone eval --only NAME`."""

import sys


def measured(*names: str) -> None:
    """Measure what is named as the scoreboard does, with its options (`--set`, `--json`, ...)."""
    from hammerstone.serve.cli.main import main

    only = [part for name in names for part in ("--only", name)]
    sys.argv[1:] = ["eval", *only, *sys.argv[1:]]
    main()
