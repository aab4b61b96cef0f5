"""How commands speak: results on stdout, everything about them on stderr."""

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from hammerstone.core.errors import HammerstoneError


def print_json(value: Any) -> None:
    """One JSON document; indented for people, still JSON for programs."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def report_error(error: "HammerstoneError", *, as_json: bool) -> None:
    """The error and what to do next; as JSON on stdout when the command speaks JSON."""
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        return
    typer.secho(f"error: {error.message}", fg=typer.colors.RED, err=True)
    if error.hint:
        typer.echo(f"  try: {as_typed(error.hint)}", err=True)


def as_typed(hint: str) -> str:
    """A hint's command as this person can type it: `make run` puts no command on the path."""
    own = sys.argv[0]
    if not hint.startswith("hammerstone ") or shutil.which("hammerstone"):
        return hint
    if own.endswith("__main__.py"):
        return hint.replace("hammerstone", f"{sys.executable} -m hammerstone", 1)
    return hint.replace("hammerstone", own, 1) if own.endswith("/hammerstone") else hint


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return Console(stderr=stderr, highlight=False, width=width)
