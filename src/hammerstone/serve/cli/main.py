"""`hammerstone`: the command line's front door."""

import gc
import io
import os
import sys

from hammerstone.core.version import VERSION

_STOPPED = 130  # by Ctrl-C
# Loading the engine makes some hundred thousand objects that stay; a collection for each 700 of
# them looked at all of them again and again, for a fifth of the processor time.
_OBJECTS_A_COLLECTION = 50_000


def _reader_is_gone() -> None:
    """The reader went away (`| head`): nothing is wrong, and nothing more can be printed."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what is still to be flushed goes there
    sys.exit(141)


def _show_version() -> None:
    try:
        print(f"hammerstone {VERSION}", flush=True)
    except BrokenPipeError:
        _reader_is_gone()


def main() -> None:
    """Run a command; an expected error is one clear message and its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 shows codes instead
            stream.reconfigure(errors="backslashreplace")
    if sys.argv[1:] == ["--version"]:  # needs none of what is loaded below
        _show_version()
        return
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    from typer.main import get_command

    from hammerstone.core.errors import HammerstoneError
    from hammerstone.serve.cli.command_line import command_line, needed
    from hammerstone.serve.cli.help_text import help_width, readable
    from hammerstone.serve.cli.output import report_error, tell
    from hammerstone.serve.cli.system.changes import note_change

    try:
        readable(get_command(command_line(needed(sys.argv[1:]))))(terminal_width=help_width())
    except SystemExit as done:
        if not done.code:
            note_change(sys.argv[1:])
        elif done.code == _STOPPED:
            tell("Stopped.")
        raise
    except HammerstoneError as error:
        report_error(error, as_json="--json" in sys.argv)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell("\nStopped.")
        sys.exit(_STOPPED)
    except BrokenPipeError:
        _reader_is_gone()
