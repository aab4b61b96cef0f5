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
) -> None:
    """Answer a request with a tool from the library, or build one and answer with it.

    Exit codes: 0 answered, 1 no answer, 2 bad input, 5 data directory or database,
    6 model, 7 sandbox, 8 budget, 9 refused, 130 interrupted.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.guard.request import check_request
    from hammerstone.serve.cli.pulling import ensure_files

    text = check_request(sys.stdin.read() if request == "-" else request)
    ensure_files(load_settings())
    talks = sys.stdin.isatty() and sys.stderr.isatty() and not (as_json or no_questions)
    show = not (as_json or quiet)
    answering = _ask(
        text, file or [], session, show=show, talks=talks, memory=not no_memory, level=level
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
) -> "Answer":
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.serve.cli.live import LiveSteps
    from hammerstone.serve.cli.prove import prove_on

    async with Hammerstone.open() as hs:
        with LiveSteps(enabled=show) as steps:
            answer = await hs.ask(
                text,
                files=files,
                session=session,
                on_event=steps.show,
                on_question=steps.ask if talks else None,
                on_approval=steps.approve if talks else None,
                memory=memory,
                level=level,
            )
        if show:  # before the proof, which may take a while
            show_answer(answer)
            if sys.stderr.isatty():
                await prove_on(hs)
        return answer


def show_answer(answer: "Answer") -> None:
    """The result on stdout, where it came from on stderr."""
    typer.echo(answer.text)
    for file in answer.files:
        typer.echo(f"{file.name}: hammerstone files get {file.id}", err=True)
    parts: list[str] = []
    if answer.tool:
        sure = "" if answer.confidence is None else f", {answer.confidence:.0%} sure"
        parts.append(f"{answer.tool} v{answer.version}{sure}")
    if answer.cached:
        parts.append("cached")
    cost = answer.cost
    parts.append(f"{cost.seconds:.2f} s")
    parts.append(f"{cost.model_calls} model calls, {cost.tokens} tokens")
    if cost.usd:
        parts.append(f"${cost.usd:.4f}")
    parts.append(f"trace {answer.trace_id[:12]}")
    console(stderr=True).print(" · ".join(parts), style="dim")
