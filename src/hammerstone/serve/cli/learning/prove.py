"""`hammerstone prove`: stored proofs continued, a tool examined again, its suite as tests."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.database_files import refuse_database
from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.proofs.worker import FinishedProof
    from hammerstone.synthesis.reexamine import Reexamination
    from hammerstone.synthesis.witnesses import Notify


def prove(
    name: Annotated[
        str | None, typer.Argument(help="A tool, or the function of a stored proof.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Do every stored proof; also without a name.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Only show the stored proofs.")] = False,
    example: Annotated[
        list[str] | None,
        typer.Option("--example", "-e", help="A result you know, such as 'f(2) == 4'."),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file the tool may read.")
    ] = None,
    as_pytest: Annotated[
        bool, typer.Option("--pytest", help="Only print the tool's suite as a test module.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --pytest: write it to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove the tools behind answers that were given already, or examine a tool again.

    Without a name every stored proof is done, oldest first; Ctrl-C loses nothing. A name is a
    stored proof's function or a tool of the library: that is examined again with new candidates,
    new tests and the examples you give. An experimental tool becomes verified when the evidence
    is enough; an example that the tool does not meet leads to a new version or takes the tool
    out of use.
    """
    from hammerstone.core.errors import BadRequest

    if name is not None and (every or listed):
        raise BadRequest("a name goes neither with --all nor with --list", hint="leave one out")
    if name is None and (as_pytest or example or file):
        raise BadRequest("which tool?", hint="hammerstone prove NAME")
    if listed:
        asyncio.run(_show_list(as_json=as_json))
    elif as_pytest:
        assert name is not None
        _print_tests(asyncio.run(_tests(name)), out)
    else:
        from hammerstone.core.settings import load_settings
        from hammerstone.serve.cli.system.pulling import ensure_files

        ensure_files(load_settings())
        named = {path.name: path for path in file or []}
        asyncio.run(_prove(name, example or [], named, as_json=as_json))


async def _prove(
    name: str | None, examples: list[str], files: dict[str, Path], *, as_json: bool
) -> None:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.serve.cli.requests.live import LiveSteps

    async with Hammerstone.open() as hs:
        tell = _teller(show=not as_json)
        waiting = [one.key for one in await hs.proofs.pending() if name in (None, one.function)]
        if name is None or (waiting and not examples and not files):
            done = [one for key in waiting if (one := await hs.proofs.worker.do_next(key, tell))]
            _show_done(done, len(waiting), as_json=as_json)
            return
        steps = LiveSteps(enabled=False)
        talks = not as_json and sys.stdin.isatty() and sys.stderr.isatty()
        again = await hs.examining.reexamine(
            name, examples, files=files, notify=tell, ask=steps.ask if talks else None
        )
        if as_json:
            print_json(_document(again))
        else:
            _show(again)


def _teller(*, show: bool) -> "Notify":
    from hammerstone.core.answers import EventKind
    from hammerstone.core.json_types import Json

    err = console(stderr=True)

    async def tell(kind: EventKind, text: str, data: dict[str, Json]) -> None:
        if show:
            err.print(f"{kind}: {text}", style="dim", markup=False)

    return tell


async def _show_list(*, as_json: bool) -> None:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        stored = await hs.proofs.list(user=hs.settings.user)
    if as_json:
        print_json([one.to_json() for one in stored])
        return
    for one in stored:
        why = f": {one.reason}" if one.reason else ""
        typer.echo(f"{one.function}  {one.state}{why}")
    if not stored:
        typer.echo("no proof is stored", err=True)


def _show_done(done: "list[FinishedProof]", waiting: int, *, as_json: bool) -> None:
    if as_json:
        print_json([one.result.to_json() for one in done])
        return
    for one in done:
        for event in one.events:
            typer.echo(event.text)
    if len(done) < waiting:
        text = f"{waiting - len(done)} came to no end here: hammerstone prove --list"
        typer.echo(text, err=True)
    elif not waiting:
        typer.echo("no proof waits", err=True)


async def prove_on(hs: "Hammerstone") -> None:
    """Do what is stored after an answer was shown; ended by Ctrl-C, which loses nothing."""
    waiting = await hs.proofs.pending()
    if not waiting:
        return
    err = console(stderr=True)
    typer.echo("(proving the tool behind it; Ctrl-C stops that and loses nothing)", err=True)
    with _hanging_up_stops(), err.status("proving ...", spinner="dots") as status:

        async def tell(kind: str, text: str, data: dict[str, object]) -> None:
            status.update(f"{kind}: {text[:100]}")

        try:
            for one in waiting:
                done = await hs.proofs.worker.do_next(one.key, tell)  # type: ignore[arg-type]
                for event in done.events if done else ():
                    typer.echo(event.text, err=event.kind != "correction")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            with suppress(OSError):  # the window may be gone
                text = "the proof goes on with the next command, or: hammerstone prove"
                typer.echo(text, err=True)


@contextmanager
def _hanging_up_stops() -> Iterator[None]:
    """A closed window ends what happens in the block as Ctrl-C does: the proof is given back."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    ends = (signal.SIGHUP, signal.SIGTERM)
    for one in ends:
        loop.add_signal_handler(one, task.cancel)
    try:
        yield
    finally:
        for one in ends:
            loop.remove_signal_handler(one)


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


def _document(done: "Reexamination") -> dict[str, object]:
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


def _show(done: "Reexamination") -> None:
    tool, verdict = done.tool, done.verdict
    was = "" if tool.status is done.before else f" (was {done.before})"
    typer.echo(
        f"{tool.name} v{tool.version.number} is {tool.status}{was}, {verdict.confidence:.0%} sure: "
        f"{verdict.reason}\n{verdict.candidates_used} candidates, {verdict.suites_used} suites, "
        f"{len(tool.version.suite)} cases kept"
    )
    if verdict.question is not None:
        typer.echo(f"What would help most: {verdict.question.text}")
