"""`hammerstone questions`: what experimental tools would like to know from you."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.questions import OpenQuestion

app = typer.Typer(help="What experimental tools would like to know from you.")

_CHOICES = ("1", "2")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback(invoke_without_command=True)
def list_questions(context: typer.Context, as_json: AsJson = False) -> None:
    """List the open questions, the one worth most first."""
    if context.invoked_subcommand is not None:
        return
    rows = asyncio.run(_list())
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("nothing to ask", err=True)
    for row in rows:
        typer.secho(row["text"], bold=True)
        for number, choice in enumerate(row["choices"], 1):
            typer.echo(f"    {number}) {choice}")
        typer.echo(f"    hammerstone questions answer {row['tool']} 1 | 2 | VALUE")


@app.command()
def answer(
    tool: Annotated[str, typer.Argument(help="The tool that the question is about.")],
    result: Annotated[
        str | None, typer.Argument(help="1 or 2: which result is right; or another value.")
    ] = None,
    value: Annotated[
        str | None, typer.Option("--value", help="Another value, also where it is a 1 or a 2.")
    ] = None,
    later: Annotated[bool, typer.Option("--later", help="You do not know: ask again.")] = False,
    never: Annotated[bool, typer.Option("--never", help="Do not ask this again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what a tool should give; it is examined again with that, which may take a while."""
    from hammerstone.core.errors import BadRequest

    if sum((result is not None, value is not None, later, never)) != 1:
        hint = f"hammerstone questions answer {tool} 1 | 2 | VALUE, --value V, --later or --never"
        raise BadRequest("say one thing about it", hint=hint)
    chosen = int(result) if result in _CHOICES else None
    typed = value if value is not None else (None if chosen else result)
    reply = asyncio.run(_answer(tool, chosen, typed, never))
    if as_json:
        print_json(reply)
    else:
        typer.echo(reply["text"])


async def _list() -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return [one.to_json() for one in await hs.questions.waiting()]


async def _answer(tool: str, choice: int | None, value: str | None, never: bool) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        if choice is None and value is None:
            reply = await hs.questions.put_off(tool, for_good=never)
        else:
            with console(stderr=True).status(f"examining {tool} again ..."):
                reply = await hs.questions.answer(tool, choice=choice, value=value)
        return reply.to_json()


async def ask_one(hs: "Hammerstone") -> str:
    """Put the question of the day, if there is one, to somebody at the terminal.

    A line that is no answer comes back: it was meant as the next request, and a text that
    somebody typed ahead must not become what a tool gives.
    """
    question = await hs.questions.due()
    return await _put(hs, question) if question is not None else ""


async def _put(hs: "Hammerstone", question: "OpenQuestion") -> str:
    from hammerstone.core.errors import BadRequest
    from hammerstone.serve.cli.output import report_error

    out = console(stderr=True)
    out.print(f"\nTo prove {question.tool}: {question.text}", markup=False, highlight=False)
    for number, choice in enumerate(question.choices, 1):
        out.print(f"  {number}) {choice}", markup=False, highlight=False)
    out.print("  = VALUE: something else; Enter: I do not know; n: do not ask again", style="dim")
    while True:
        typed = await _typed()
        if typed == "n":
            typer.echo((await hs.questions.put_off(question.tool, for_good=True)).text, err=True)
            return ""
        if typed not in _CHOICES and not typed.startswith("="):
            return typed  # the question comes again after some days, as each that was asked
        chosen = int(typed) if typed in _CHOICES else None
        try:
            with out.status(f"examining {question.tool} again ..."):
                reply = await hs.questions.answer(
                    question.tool, choice=chosen, value=None if chosen else typed[1:]
                )
        except BadRequest as error:
            report_error(error, as_json=False)
            continue
        typer.echo(reply.text, err=True)
        return ""


async def _typed() -> str:
    from hammerstone.serve.cli.requests.live import read_line

    typer.echo("? ", nl=False, err=True)
    sys.stderr.flush()
    return (await read_line()).strip()
