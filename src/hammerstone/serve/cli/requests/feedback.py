"""`hammerstone wrong` and `right`: what you think of an answer."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.completion import complete_runs, complete_sessions
from hammerstone.serve.cli.output import AsJson, print_json, say

Run = Annotated[
    str | None,
    typer.Option("--run", help="Which answer; your last without.", autocompletion=complete_runs),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session", help="The last answer of this session.", autocompletion=complete_sessions
    ),
]
Step = Annotated[int | None, typer.Option("--step", min=1, help="One call of several, from 1.")]


def wrong(
    value: Annotated[
        str | None, typer.Argument(metavar="VALUE", help="What is right instead, if you know.")
    ] = None,
    run: Run = None,
    session: Session = None,
    step: Step = None,
    as_json: AsJson = False,
) -> None:
    """Say that an answer was wrong, and what is right.

    From then on the value is a test of the tool: a repair starts with it, and the same words
    give it at once. Write a number, JSON or plain text; a negative number comes after `--`.
    """
    asyncio.run(_say(value, run, session, step, as_json, right=False))


def right(
    run: Run = None, session: Session = None, step: Step = None, as_json: AsJson = False
) -> None:
    """Say that an answer was right: no later change of its tool may break it."""
    asyncio.run(_say(None, run, session, step, as_json, right=True))


async def _say(
    value: str | None,
    run: str | None,
    session: str | None,
    step: int | None,
    as_json: bool,
    *,
    right: bool,
) -> None:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.questions.feedback import UNSTATED
    from hammerstone.run.understand.spoken_feedback import stated_value

    where: dict[str, Any] = {"run": run, "session": session, "step": step}
    async with Hammerstone.open() as hs:
        if right:
            reply = await hs.feedback.right(**where)
        else:
            stated = UNSTATED if value is None else stated_value(value)
            reply = await hs.feedback.wrong(stated, **where)
    if as_json:
        print_json(reply.to_json())
    else:
        say(reply.text)
