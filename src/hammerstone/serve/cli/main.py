"""`hammerstone`: the command line's front door."""

import io
import os
import sys
from typing import Any

from typer.main import get_command

from hammerstone.serve.cli.commands import command_line, needed
from hammerstone.serve.cli.help_text import help_width, readable
from hammerstone.serve.cli.output import tell

_STOPPED = 130  # by Ctrl-C


def __getattr__(name: str) -> Any:
    """`app`: all commands, for what looks at the whole command line."""
    if name != "app":
        raise AttributeError(name)
    globals()["app"] = command_line()
    return globals()["app"]


def _reader_is_gone() -> None:
    """The reader went away (`| head`): nothing is wrong, and nothing more can be printed."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what is still to be flushed goes there
    sys.exit(141)


def main() -> None:
    """Run a command; an expected error is one clear message and its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 shows codes instead
            stream.reconfigure(errors="backslashreplace")
    from hammerstone.core.errors import HammerstoneError
    from hammerstone.serve.cli.output import report_error
    from hammerstone.serve.cli.system.changes import note_change

    try:
        app = command_line(needed(sys.argv[1:]))
        readable(get_command(app))(terminal_width=help_width())
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
