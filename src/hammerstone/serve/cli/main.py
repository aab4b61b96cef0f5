"""`hammerstone`: the command line's front door; each command is loaded when it is asked for."""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from hammerstone.core.version import VERSION
from hammerstone.serve.cli.help_text import SectionedGroup, help_width, readable
from hammerstone.serve.cli.output import say, tell

_STOPPED = 130  # by Ctrl-C
# Below this package: the module, and the function of a command or the commands of a group.
COMMANDS: dict[str, str] = {
    "ask": "requests.ask:ask",
    "chat": "requests.chat.chat:chat",
    "why": "requests.why:why",
    "wrong": "requests.feedback:wrong",
    "right": "requests.feedback:right",
    "prove": "learning.prove:prove",
    "doctor": "system.doctor:doctor",
    "serve": "system.serve:serve",
    "worker": "system.work.worker:worker",
    "workers": "system.work.worker:workers",
    "repair": "learning.repair:repair",
    "ledger": "learning.changes.ledger:ledger",
    "undo": "learning.changes.ledger:undo",
    "stats": "data.stats:stats",
    "metrics": "data.metrics:metrics",
    "backup": "data.backups:backup",
    "restore": "data.backups:restore",
    "stop": "system.stop:stop",
    "resume": "system.stop:resume",
    "demo": "system.demo:demo",
    "uninstall": "system.uninstall:uninstall",
    "completion": "completion:completion",
    "tools": "library.tools:app",
    "files": "requests.files:app",
    "documents": "library.documents:app",
    "search": "library.search:app",
    "skills": "library.skills:app",
    "graph": "library.graph:app",
    "sessions": "requests.sessions:app",
    "memory": "library.memory:app",
    "approvals": "requests.approvals:app",
    "questions": "requests.questions:app",
    "traces": "data.traces:app",
    "people": "system.people:app",
    "triggers": "system.work.triggers:app",
    "policies": "learning.policies:app",
    "prompts": "learning.prompts:app",
    "experiments": "learning.experiments:app",
    "model": "system.models.model:app",
    "sandbox": "system.sandbox:app",
    "db": "data.db:app",
    "mcp": "system.mcp:app",
    "connectors": "system.connectors:app",
    "bench": "evals.bench:app",
    "learn": "learning.learn:app",
    "labels": "learning.labels:app",
    "tune": "learning.tune:app",
    "evolve": "learning.evolution.evolve_watch:app",
    "proposals": "learning.changes.proposals:app",
    "eval": "evals.eval:app",
    "suites": "evals.suites:app",
}


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The front door with these commands."""
    app = typer.Typer(
        cls=SectionedGroup,
        name="hammerstone",
        help="An agent that builds, proves and reuses its own tools.",
        no_args_is_help=True,
        add_completion=names is COMMANDS,  # typer loads pydantic to read its two options
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # boxes leave no room for words in a narrow window
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in names:
        module, _, member = COMMANDS[name].partition(":")
        found = getattr(import_module(f"hammerstone.serve.cli.{module}"), member)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def needed(words: Sequence[str]) -> Iterable[str]:
    """The commands that have to be loaded for these words: help and completion show all."""
    if "_HAMMERSTONE_COMPLETE" in os.environ:
        return COMMANDS
    return words[:1] if words and words[0] in COMMANDS else COMMANDS


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"hammerstone {VERSION}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


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
