"""`hammerstone examine`: a tool examined again, or its suite as a file of tests."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.database_files import refuse_database
from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.synthesis.reexamine import Reexamined


def examine(
    name: Annotated[str, typer.Argument(help="The tool's name.")],
    example: Annotated[
        list[str] | None,
        typer.Option("--example", "-e", help="A result you know, such as 'f(2) == 4'."),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file the tool may read.")
    ] = None,
    as_pytest: Annotated[
        bool, typer.Option("--pytest", help="Only print the suite as a test module.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --pytest: write it to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Examine a tool again with new candidates, new tests and the examples you give.

    An experimental tool becomes verified when the evidence is enough; an example that the tool
    does not meet leads to a new version or takes the tool out of use.
    """
    if as_pytest:
        _print_tests(asyncio.run(_tests(name)), out)
        return
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.pulling import ensure_files

    ensure_files(load_settings())
    done = asyncio.run(_examine(name, example or [], file or [], show=not as_json))
    if as_json:
        print_json(_document(done))
    else:
        _show(done)


def _print_tests(text: str, out: Path | None) -> None:
    if out is None:
        typer.echo(text, nl=False)
        return
    refuse_database(out)
    out.write_text(text, encoding="utf-8")
    typer.echo(f"written to {out}", err=True)


async def _tests(name: str) -> str:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.examining.as_pytest(name)


async def _examine(
    name: str, examples: list[str], files: list[Path], *, show: bool
) -> "Reexamined":
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import EventKind
    from hammerstone.core.json_types import Json
    from hammerstone.serve.cli.live import LiveSteps

    err = console(stderr=True)

    async def tell(kind: EventKind, text: str, data: dict[str, Json]) -> None:
        if show:
            err.print(f"{kind}: {text}", style="dim", markup=False)

    steps = LiveSteps(enabled=False)
    talks = show and sys.stdin.isatty() and sys.stderr.isatty()
    named = {path.name: path for path in files}
    async with Hammerstone.open() as hs:
        return await hs.examining.reexamine(
            name, examples, files=named, notify=tell, ask=steps.ask if talks else None
        )


def _document(done: "Reexamined") -> dict[str, object]:
    tool, verdict = done.tool, done.verdict
    return {
        "tool": tool.name,
        "version": tool.version.number,
        "status": str(tool.status),
        "before": str(done.before),
        "confidence": verdict.confidence,
        "reason": verdict.reason,
        "candidates": verdict.candidates_used,
        "suites": verdict.suites_used,
        "cases": len(tool.version.suite),
        "mutation_score": verdict.mutation_score,
    }


def _show(done: "Reexamined") -> None:
    tool, verdict = done.tool, done.verdict
    was = "" if tool.status is done.before else f" (was {done.before})"
    typer.echo(
        f"{tool.name} v{tool.version.number} is {tool.status}{was}, {verdict.confidence:.0%} sure: "
        f"{verdict.reason}\n{verdict.candidates_used} candidates, {verdict.suites_used} suites, "
        f"{len(tool.version.suite)} cases kept"
    )
    if verdict.question is not None:
        typer.echo(f"What would help most: {verdict.question.text}")
