"""`hammerstone questions`: what experimental tools would like to know from you."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.questions.question import OpenQuestion

app = typer.Typer(help="Questions whose answers would prove a tool.")

_CHOICES = ("1", "2")


@app.callback(invoke_without_command=True)
def list_questions(context: typer.Context, as_json: AsJson = False) -> None:
    """List the open questions, the most useful one first."""
    if context.invoked_subcommand is not None:
        return
    waiting = with_engine(lambda hs: hs.questions.waiting())
    rows: list[dict[str, Any]] = [one.to_json() for one in waiting]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no questions now.")
    for row in rows:
        say(row["text"], style="bold")
        for number, choice in enumerate(row["choices"], 1):
            say(f"    {number}) {choice}")
        say(f"    Answer with the number: hammerstone questions answer {row['tool']} 1")
        say(f"    Or say it yourself: hammerstone questions answer {row['tool']} --value VALUE")


@app.command()
def answer(
    tool: Annotated[
        str,
        typer.Argument(help="The tool that the question is about.", autocompletion=complete_tools),
    ],
    result: Annotated[
        str | None, typer.Argument(help="1 or 2: which result is right; or another value.")
    ] = None,
    value: Annotated[
        str | None, typer.Option("--value", help="Another value, also where it is a 1 or a 2.")
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="You do not know: ask again some day.")
    ] = False,
    never: Annotated[bool, typer.Option("--never", help="Do not ask this again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say which result is right; the tool is checked again with that, which may take a minute."""
    from hammerstone.core.errors import BadRequest

    if sum((result is not None, value is not None, later, never)) != 1:
        hint = (
            f"add 1 or 2, --value VALUE, --later or --never: hammerstone questions answer {tool} 1"
        )
        raise BadRequest("give one answer", hint=hint)
    chosen = int(result) if result in _CHOICES else None
    typed = value if value is not None else (None if chosen else result)
    reply = with_engine(lambda hs: _answer(hs, tool, chosen, typed, never))
    if as_json:
        print_json(reply)
    else:
        say(reply["text"])


async def _answer(
    hs: "Hammerstone", tool: str, choice: int | None, value: str | None, never: bool
) -> dict[str, Any]:
    from hammerstone.serve.cli.requests.showing.live import LiveLine

    if choice is None and value is None:
        reply = await hs.questions.put_off(tool, for_good=never)
    else:
        with LiveLine() as line:
            line.show(f"checking {tool} again with that")
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
    from hammerstone.serve.cli.requests.showing.live import LiveLine

    tell(f"\nA question about {question.tool}, to prove it: {question.text}")
    for number, choice in enumerate(question.choices, 1):
        tell(f"  {number}) {choice}")
    tell("  = VALUE: something else; Enter: I do not know; n: do not ask again", style="dim")
    while True:
        typed = await _typed()
        if typed == "n":
            tell((await hs.questions.put_off(question.tool, for_good=True)).text)
            return ""
        if typed not in _CHOICES and not typed.startswith("="):
            return typed  # the question comes again after some days, as each that was asked
        chosen = int(typed) if typed in _CHOICES else None
        try:
            with LiveLine() as line:
                line.show(f"checking {question.tool} again with that")
                reply = await hs.questions.answer(
                    question.tool, choice=chosen, value=None if chosen else typed[1:]
                )
        except BadRequest as error:
            report_error(error, as_json=False)
            continue
        tell(reply.text)
        return ""


async def _typed() -> str:
    from hammerstone.serve.cli.requests.showing.live import read_line

    tell("? ", end="")
    sys.stderr.flush()
    return (await read_line()).strip()
