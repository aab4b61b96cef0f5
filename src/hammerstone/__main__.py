"""The command `hammerstone`, also as `python -m hammerstone`."""

import gc
import sys

from hammerstone.core.version import VERSION

# Loading the engine makes some hundred thousand objects that stay; a collection for each 700 of
# them looked at all of them again and again, for a fifth of the processor time.
_OBJECTS_A_COLLECTION = 50_000


def main() -> None:
    if sys.argv[1:] == ["--version"]:  # needs nothing of the command line
        print(f"hammerstone {VERSION}")  # noqa: T201
        return
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    from hammerstone.serve.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
