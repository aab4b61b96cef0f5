"""`hammerstone ask`: one request, answered in the terminal."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.answers import Answer


def ask(
    request: Annotated[str, typer.Argument(help="What you want to know; '-' reads it from stdin.")],
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file the tool may read.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Go on in this session instead of a new one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show the steps.")] = False,
    no_questions: Annotated[
        bool, typer.Option("--no-questions", help="Never ask back; say what is uncertain.")
    ] = False,
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="Nothing that was said before counts or is kept.")
    ] = False,
    level: Annotated[
        int | None, typer.Option(min=1, max=5, help="The agent's maturity for this task alone.")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the tool behind the answer is proved.")
    ] = False,
) -> None:
    """Answer a request with a tool from the library, or solve it and say how sure that is.

    The tool behind a solved answer is proved afterwards: here while you watch, or by whichever
    Hammerstone runs next. Exit codes: 0 answered (also when unsure), 1 no answer, 2 bad input,
    5 data directory or database, 6 model, 7 sandbox, 8 budget, 9 refused, 130 interrupted.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.guard.request import check_request
    from hammerstone.serve.cli.system.pulling import ensure_files

    text = check_request(sys.stdin.read() if request == "-" else request)
    ensure_files(load_settings())
    talks = sys.stdin.isatty() and sys.stderr.isatty() and not (as_json or no_questions)
    show = not (as_json or quiet)
    answering = _ask(
        text,
        file or [],
        session,
        show=show,
        talks=talks,
        memory=not no_memory,
        level=level,
        wait=wait,
    )
    answer = asyncio.run(answering)
    if as_json:
        print_json(answer.to_json())
    elif not show:
        show_answer(answer)
    if answer.status != "done":
        raise typer.Exit(1)


async def _ask(
    text: str,
    files: list[Path],
    session: str | None,
    *,
    show: bool,
    talks: bool,
    memory: bool = True,
    level: int | None = None,
    wait: bool = False,
) -> "Answer":
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.run.request import AskOptions
    from hammerstone.serve.cli.learning.prove import prove_on
    from hammerstone.serve.cli.requests.live import LiveSteps

    async with Hammerstone.open() as hs:
        with LiveSteps(enabled=show) as steps:
            options = AskOptions(
                on_question=steps.ask if talks else None,
                on_approval=steps.approve if talks else None,
                memory=memory,
                level=level,
            )
            answer = await hs.ask(
                text, files=files, session=session, on_event=steps.show, options=options
            )
        if show:  # before the proof, which may take a while
            show_answer(answer)
            if sys.stderr.isatty() or wait:
                await prove_on(hs)
        return await hs.proofs.wait(answer) if wait else answer


def show_answer(answer: "Answer") -> None:
    """The result on stdout; how sure it is and where it came from on stderr."""
    typer.echo(answer.text)
    for file in answer.files:
        typer.echo(f"{file.name}: hammerstone files get {file.id}", err=True)
    err = console(stderr=True)
    if answer.sureness is not None and answer.confidence is not None:
        sure = f"{answer.sureness} ({answer.confidence:.0%})"
        if answer.why not in answer.text:  # an unsure answer says it itself
            sure += f": {answer.why}"
        err.print(sure, style=_STYLES[str(answer.sureness)], markup=False, highlight=False)
    if answer.call:
        err.print(_shortened(answer.call), style="dim", markup=False, highlight=False)
    err.print(" · ".join(_about(answer)), style="dim", highlight=False)


_STYLES = {"sure": "green", "likely": "cyan", "unsure": "yellow"}
_LONGEST_CALL = 200


def _shortened(call: str) -> str:
    return call if len(call) <= _LONGEST_CALL else f"{call[:_LONGEST_CALL]}..."


def _about(answer: "Answer") -> list[str]:
    """Where an answer came from and what it cost."""
    parts: list[str] = []
    if answer.tool:
        parts.append(f"{answer.tool} v{answer.version}")
    if answer.cached:
        parts.append("known answer")
    cost = answer.cost
    parts.append(f"{cost.seconds:.2f} s" if cost.seconds < 1 else f"{cost.seconds:.1f} s")
    if cost.model_calls:
        parts.append(f"{cost.model_calls} model calls, {cost.tokens} tokens")
    if cost.usd:
        parts.append(f"${cost.usd:.4f}")
    parts.append(f"trace {answer.trace_id[:12]}")
    return parts
