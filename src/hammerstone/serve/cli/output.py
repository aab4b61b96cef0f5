"""How commands speak: results on stdout, everything about them on stderr."""

import json
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from hammerstone.serve.cli.terminal import (
    folded,
    is_terminal,
    printable,
    printable_json,
    styled,
    width_of,
)

if TYPE_CHECKING:
    from rich.console import Console

    from hammerstone.core.errors import HammerstoneError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def say(text: str = "", *, style: str = "", fold: bool = True, end: str = "\n") -> None:
    """A result, on stdout. `fold` breaks long lines between words where somebody reads them."""
    _write(sys.stdout, text, style, fold, end)


def tell(text: str = "", *, style: str = "", fold: bool = True, end: str = "\n") -> None:
    """Something about a result, on stderr."""
    _write(sys.stderr, text, style, fold, end)


def hint(text: str) -> None:
    """What a person can do next, where one looks at the result; a pipe or a file gets none."""
    if is_terminal(sys.stdout):
        tell(text, style="dim")


def _write(stream: TextIO | None, text: str, style: str, fold: bool, end: str) -> None:
    if stream is None:  # it was closed before we began
        return
    shown = printable(text)
    if fold and is_terminal(stream):
        shown = "\n".join(folded(shown, width_of(stream)))
    stream.write(styled(shown, style, stream) + end)
    stream.flush()


def print_json(value: Any) -> None:
    """One JSON document; indented for people, still JSON for programs."""
    if sys.stdout is not None:
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        sys.stdout.write(printable_json(text) + "\n")


def report_error(error: "HammerstoneError", *, as_json: bool) -> None:
    """The error and what to do next; as JSON on stdout when the command speaks JSON."""
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        return
    tell(f"error: {error.message}", style="red")
    if error.hint:
        tell(f"  try: {as_typed(error.hint)}")


def as_typed(hint: str) -> str:
    """A hint's command as this person can type it: `make run` puts no command on the path."""
    own = sys.argv[0]
    if not hint.startswith("hammerstone ") or shutil.which("hammerstone"):
        return hint
    if own.endswith("hammerstone/__main__.py"):
        return hint.replace("hammerstone", f"{sys.executable} -m hammerstone", 1)
    return hint.replace("hammerstone", own, 1) if own.endswith("/hammerstone") else hint


def console(*, stderr: bool = False) -> "Console":
    """Rich's console, for what it alone can do: code in colours, progress bars."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if is_terminal(stream) else 120
    return Console(stderr=stderr, highlight=False, width=width)
