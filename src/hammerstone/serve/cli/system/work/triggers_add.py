"""`hammerstone triggers add`: one command for each kind of trigger."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

app = typer.Typer(help="Add a trigger.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Its name: small letters, digits, . _ -")]
Asked = Annotated[str, typer.Option("--request", help="What is asked each time.")]
Answers = Annotated[
    str | None,
    typer.Option(help="Where answers go: log, url:ADDRESS, folder:PATH; a chat: channel."),
]
Person = Annotated[str | None, typer.Option("--person", help="For whom it works; you by default.")]
Level = Annotated[int | None, typer.Option(min=1, max=5, help="Its maturity level, at most.")]
Runs = Annotated[int, typer.Option("--runs-a-day", min=1, help="Requests a day.")]
Tokens = Annotated[int, typer.Option("--tokens-a-day", min=1, help="Tokens a day.")]
Usd = Annotated[float, typer.Option("--usd-a-day", help="USD a day.")]
Tools = Annotated[
    list[str] | None,
    typer.Option("--tool", help="An allowed tool, or a pattern; new: new ones. Repeat it."),
]
Channels = Annotated[list[str] | None, typer.Option("--channel", help="A channel's id. Repeat it.")]
Mine = Annotated[
    list[str] | None,
    typer.Option("--my-id", help="Your id in the chat: its buttons count as yours. Repeat it."),
]
Token = Annotated[
    Path, typer.Option("--bot-token", help="A file with the bot's token; - reads it.")
]
Api = Annotated[str, typer.Option(help="Another address that speaks the same protocol.")]


@app.command()
def webhook(
    name: Name,
    request: Asked,
    attach_payload: Annotated[
        bool, typer.Option(help="Attach the whole payload as payload.json.")
    ] = False,
    attach_files: Annotated[
        bool, typer.Option(help="Attach the files that a payload brings along.")
    ] = False,
    answers: Answers = None,
    person: Person = None,
    level: Level = None,
    runs_a_day: Runs = 100,
    tokens_a_day: Tokens = 200_000,
    usd_a_day: Usd = 1.0,
    tool: Tools = None,
    as_json: AsJson = False,
) -> None:
    """A signed call starts a request; {path} in it takes a value of the payload."""
    limits = _limits(level, runs_a_day, tokens_a_day, usd_a_day, tool)
    config = {"attach_payload": attach_payload, "attach_files": attach_files}
    added = _add(name, "webhook", request, config, limits, answers, person, {})
    if as_json:
        print_json(added)
        return
    tell(f"{name} is added; its address is /hooks/{name}. Its secret, shown this once:")
    say(added["secret"])
    hint(f"hammerstone triggers send {name} '{{...}}' sends it a signed call, as its sender would.")


@app.command()
def schedule(
    name: Name,
    request: Asked,
    cron: Annotated[str, typer.Option(help="When: '0 8 * * 1' is Mondays at 8:00; or @daily.")],
    zone: Annotated[str, typer.Option(help="The time zone.")] = "UTC",
    file: Annotated[
        list[str] | None, typer.Option("--file", help="A file or folder to attach. Repeat it.")
    ] = None,
    answers: Answers = None,
    person: Person = None,
    level: Level = None,
    runs_a_day: Runs = 100,
    tokens_a_day: Tokens = 200_000,
    usd_a_day: Usd = 1.0,
    tool: Tools = None,
    as_json: AsJson = False,
) -> None:
    """A time starts a request; its numbers are kept as a history."""
    limits = _limits(level, runs_a_day, tokens_a_day, usd_a_day, tool)
    config = {"cron": cron, "zone": zone, "files": list(file or [])}
    added = _add(name, "schedule", request, config, limits, answers, person, {})
    _told(added, as_json, f"{name} is added; it starts next at {added['next_at'][:16]} UTC.")


@app.command()
def folder(
    name: Name,
    path: Annotated[str, typer.Argument(help="The folder that is watched.")],
    request: Asked,
    pattern: Annotated[str, typer.Option(help="Which files count, such as *.csv.")] = "*",
    existing: Annotated[bool, typer.Option(help="Also the files that are there already.")] = False,
    answers: Answers = None,
    person: Person = None,
    level: Level = None,
    runs_a_day: Runs = 100,
    tokens_a_day: Tokens = 200_000,
    usd_a_day: Usd = 1.0,
    tool: Tools = None,
    as_json: AsJson = False,
) -> None:
    """A new or changed file starts a request, with the file attached."""
    limits = _limits(level, runs_a_day, tokens_a_day, usd_a_day, tool)
    config = {"folder": path, "pattern": pattern, "existing": existing}
    added = _add(name, "folder", request, config, limits, answers, person, {})
    _told(added, as_json, f"{name} is added; it watches {added['config']['folder']}.")


@app.command()
def slack(
    name: Name,
    bot_token: Token,
    signing_secret: Annotated[
        Path, typer.Option(help="A file with the app's signing secret; - reads it.")
    ],
    channel: Channels = None,
    my_id: Mine = None,
    request: Annotated[str, typer.Option(help="Put before every message.")] = "",
    answers: Answers = None,
    person: Person = None,
    level: Level = None,
    runs_a_day: Runs = 100,
    tokens_a_day: Tokens = 200_000,
    usd_a_day: Usd = 1.0,
    tool: Tools = None,
    api: Api = "",
    as_json: AsJson = False,
) -> None:
    """A mention, a direct message or a slash command in Slack starts a request."""
    limits = _limits(level, runs_a_day, tokens_a_day, usd_a_day, tool)
    config = {"channels": list(channel or []), "people": list(my_id or []), "api": api}
    given = {"token": _secret(bot_token), "signing secret": _secret(signing_secret)}
    added = _add(name, "slack", request, config, limits, answers, person, given)
    _told(added, as_json, f"{name} is added. Give Slack the address https://.../hooks/{name} for"
          " events, interactivity and commands.")  # fmt: skip


@app.command()
def telegram(
    name: Name,
    bot_token: Token,
    channel: Channels = None,
    my_id: Mine = None,
    request: Annotated[str, typer.Option(help="Put before every message.")] = "",
    answers: Answers = None,
    person: Person = None,
    level: Level = None,
    runs_a_day: Runs = 100,
    tokens_a_day: Tokens = 200_000,
    usd_a_day: Usd = 1.0,
    tool: Tools = None,
    api: Api = "",
    as_json: AsJson = False,
) -> None:
    """A message to a Telegram bot, in chats that you name, starts a request."""
    limits = _limits(level, runs_a_day, tokens_a_day, usd_a_day, tool)
    config = {"channels": list(channel or []), "people": list(my_id or []), "api": api}
    given = {"token": _secret(bot_token)}
    added = _add(name, "telegram", request, config, limits, answers, person, given)
    _told(added, as_json, f"{name} is added; write to the bot in one of its chats.")


def _limits(
    level: int | None, runs: int, tokens: int, usd: float, tools: list[str] | None
) -> dict[str, Any]:
    return {
        "level": level,
        "runs_a_day": runs,
        "tokens_a_day": tokens,
        "usd_a_day": usd,
        "tools": tools or None,
    }


def _add(
    name: str,
    kind: str,
    request: str,
    config: dict[str, Any],
    limits: dict[str, Any],
    answers: str | None,
    person: str | None,
    credentials: dict[str, str],
) -> dict[str, Any]:
    from hammerstone.app.triggers.new_trigger import NewTrigger
    from hammerstone.core.triggers import TriggerKind, TriggerLimits

    new = NewTrigger(
        name, TriggerKind(kind), request, config, TriggerLimits.from_json(limits),
        answers or "", person, credentials,
    )  # fmt: skip
    added = with_engine(lambda hs: hs.triggers.book.add(new, who=hs.settings.user))
    return {**added.trigger.to_json(), "secret": added.secret or None}


def _told(added: dict[str, Any], as_json: bool, text: str) -> None:
    if as_json:
        print_json(added)
        return
    say(text)
    hint("It works while `hammerstone serve` or `hammerstone triggers work` runs.")


def _secret(path: Path) -> str:
    """What a file holds; secrets on a command line could be read by others."""
    from hammerstone.core.errors import BadRequest

    if str(path) == "-":
        return sys.stdin.readline().strip()
    try:
        return path.expanduser().read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise BadRequest(f"{path} cannot be read", hint="name a file that holds it") from None
