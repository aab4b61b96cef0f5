"""`hammerstone prove`: stored proofs continued, a tool examined again, its suite as tests."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.database_files import refuse_database
from hammerstone.core.formatting import count, percent
from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.requests.showing.progress import proof_words
from hammerstone.serve.cli.terminal import talks

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.proofs.worker import FinishedProof
    from hammerstone.core.answers import Answer, Event
    from hammerstone.serve.cli.requests.showing.live import LiveLine
    from hammerstone.synthesis.reexamine import Reexamination
    from hammerstone.synthesis.witnesses import Notify


def prove(
    name: Annotated[
        str | None, typer.Argument(help="A tool.", autocompletion=complete_tools)
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Do every proof that waits (as without a name).")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="Only list the proofs that wait or were done.")
    ] = False,
    example: Annotated[
        list[str] | None,
        typer.Option("--example", "-e", help="A result you know, such as 'f(2) == 4'."),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file the tool may read.")
    ] = None,
    as_pytest: Annotated[
        bool, typer.Option("--pytest", help="Only print the tool's tests as a pytest module.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --pytest: write it to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove the tools behind answers that were given already, or check a tool again.

    Without a name every proof that waits is done, oldest first; Ctrl-C loses nothing.

    With a name that tool is checked again: new programs for the same task, new tests, and the
    examples you give. With enough evidence it becomes verified. An example that the tool gets
    wrong leads to a new version, or takes the tool out of use.
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
        _print_tests(with_engine(lambda hs: hs.examining.as_pytest(name)), out)
    else:
        from hammerstone.core.settings import load_settings
        from hammerstone.serve.cli.system.models.pulling import ensure_files

        ensure_files(load_settings())
        named = {path.name: path for path in file or []}
        with_engine(lambda hs: _prove(hs, name, example or [], named, as_json=as_json))


async def _prove(
    hs: "Hammerstone",
    name: str | None,
    examples: list[str],
    files: dict[str, Path],
    *,
    as_json: bool,
) -> None:
    from hammerstone.serve.cli.requests.showing.live import LiveSteps

    waiting = [one for one in await hs.proofs.pending() if name in (None, one.function)]
    with LiveSteps(enabled=not as_json, after="Ctrl-C loses nothing") as live:
        if name is None or (waiting and not examples and not files):
            done: list[FinishedProof] = []
            for one in waiting:
                teller = _teller(hs, one.function, live)
                if finished := await hs.proofs.worker.do_next(one.key, teller):
                    done.append(finished)
            live.stop()
            _show_done(done, len(waiting), as_json=as_json)
            return
        again = await hs.examining.reexamine(
            name,
            examples,
            files=files,
            notify=_teller(hs, name, live),
            ask=live.ask if talks() and not as_json else None,
        )
        live.stop()
    if as_json:
        print_json(_document(again))
    else:
        _show(again)


async def _show_list(*, as_json: bool) -> None:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        stored = await hs.proofs.list(user=hs.settings.user)
    if as_json:
        print_json([one.to_json() for one in stored])
        return
    for one in stored:
        why = f": {one.reason}" if one.reason else ""
        say(f"{one.function}  {one.state}{why}")
    if not stored:
        tell("No proof is stored.")


def _show_done(done: "list[FinishedProof]", waiting: int, *, as_json: bool) -> None:
    if as_json:
        print_json([one.result.to_json() for one in done])
        return
    for one in done:
        for event in one.events:
            say(event.text if event.kind == "correction" else proof_words(event.data) or event.text)
    if len(done) < waiting:
        tell(f"{waiting - len(done)} could not be finished now: hammerstone prove --list")
    elif not waiting:
        tell("No proof waits.")


async def prove_on(hs: "Hammerstone", answer: "Answer") -> None:
    """Prove the tool behind an answer that was shown; Ctrl-C ends that and loses nothing."""
    from hammerstone.core.answers import Event, Proof
    from hammerstone.serve.cli.requests.showing.live import LiveLine

    if await hs.proofs.state(answer.run_id) is not Proof.PENDING:
        return

    async def tell_end(event: Event, user: str) -> None:
        if event.run_id == answer.run_id:
            line.stop()
            show_proof(event)

    hs.proofs.worker.listeners.append(tell_end)
    name = answer.call.partition("(")[0] or "the tool behind it"
    with _hanging_up_stops(), LiveLine(after="Ctrl-C leaves it for later") as line:
        try:
            await hs.proofs.wait(answer, _teller(hs, name, line))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            line.stop()
            with suppress(OSError):  # the window may be gone
                text = "Left for later: `hammerstone prove`, a chat or the web app goes on with it."
                tell(text, style="dim")
        finally:
            hs.proofs.worker.listeners.remove(tell_end)


def show_proof(event: "Event") -> None:
    """How a proof ended; a correction is a result, the rest is about one."""
    if event.kind == "correction":
        say(event.text, style="yellow")
    else:
        tell(proof_words(event.data) or event.text, style="dim")


def _teller(hs: "Hammerstone", name: str, line: "LiveLine") -> "Notify":
    """Shows the progress of a proof on the line."""
    from hammerstone.core.answers import EventKind
    from hammerstone.core.json_types import Json
    from hammerstone.serve.cli.requests.showing.progress import ProofLine
    from hammerstone.synthesis.examine.verdict import ExaminePolicy

    progress = ProofLine(name, hs.policies.get(ExaminePolicy).max_candidates)
    line.show(progress.words("", {}))

    async def notify(kind: EventKind, text: str, data: dict[str, Json]) -> None:
        line.show(progress.words(kind, data))

    return notify


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
        say(text, end="")
        return
    refuse_database(out)
    out.write_text(text, encoding="utf-8")
    tell(f"written to {out}")


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
    sure = percent(verdict.confidence)
    say(f"{tool.name} v{tool.version.number} is {tool.status}{was}, {sure} sure: {verdict.reason}")
    programs = count(verdict.candidates_used, "program")
    suites = count(verdict.suites_used, "set of tests", "sets of tests")
    say(f"{programs} compared with {suites}; {count(len(tool.version.suite), 'test')} kept")
    if verdict.question is not None:
        say(f"What would help most: {verdict.question.text}")
