"""`hammerstone triggers`: requests that a webhook, a time, a file or a message starts."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.system.work import triggers_add
from hammerstone.serve.cli.tables import Column, show_pairs, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="Requests that start by themselves.", no_args_is_help=True)
app.add_typer(triggers_add.app, name="add")
Name = Annotated[str, typer.Argument(help="The trigger's name.")]
_DONE_WELL = ("done", "question", "ignored", "waiting")


@app.command("list")
def list_triggers(as_json: AsJson = False) -> None:
    """List the triggers: what starts them, for whom, and when last."""
    rows = with_engine(_documents)
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no triggers yet.")
        hint("hammerstone triggers add schedule NAME --cron '0 8 * * 1' --request '...'")
        return
    columns = (
        Column("name"),
        Column("kind"),
        Column("state"),
        Column("starts", flows=True),
        Column("last", leaves=1),
        Column("for", leaves=2),
    )
    shown = [
        (row["name"], row["kind"], row["state"], _starts(row), _last(row), row["user"])
        for row in rows
    ]
    show_table(columns, shown)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show one trigger: its request, limits, and what it used today."""
    (row,) = with_engine(lambda hs: _documents(hs, name))
    if as_json:
        print_json(row)
        return
    limits, today = row["limits"], row["today"]
    tools = "all" if limits["tools"] is None else ", ".join(limits["tools"]) or "none"
    pairs = [
        ("name", row["name"]),
        ("kind", f"{row['kind']}, {row['state']}"),
        ("starts", _starts(row)),
        ("request", row["request"] or "(what is written in the chat)"),
        ("works for", row["user"]),
        ("maturity level", limits["level"] or "the agent's own"),
        ("tools", tools),
        ("answers go to", row["answers"]),
        ("requests today", _of(today["runs"], limits["runs_a_day"])),
        ("tokens today", _of(today["tokens"], limits["tokens_a_day"])),
        ("USD today", _of(round(today["usd"], 4), limits["usd_a_day"])),
        ("added", f"{moment(row['created_at'])} by {row['created_by']}"),
    ]
    show_pairs(pairs)


@app.command()
def pause(name: Name) -> None:
    """Let a trigger rest; what it has begun goes on."""
    changed = with_engine(lambda hs: hs.triggers.book.pause(name))
    say(f"{name} is paused." if changed else f"{name} was paused already.")


@app.command()
def resume(name: Name) -> None:
    """Let a trigger go on; the times that it missed are not made up for."""
    changed = with_engine(lambda hs: hs.triggers.book.resume(name))
    say(f"{name} is active." if changed else f"{name} was active already.")


@app.command()
def remove(name: Name) -> None:
    """Remove a trigger with its secret and its log; its runs and traces stay."""
    with_engine(lambda hs: hs.triggers.book.remove(name))
    say(f"{name} is removed.")


@app.command()
def log(
    name: Annotated[str | None, typer.Argument(help="Only this trigger's.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what triggers did, newest first, with the run and the trace of each."""
    said = with_engine(lambda hs: hs.triggers.book.log(name, limit))
    rows: list[dict[str, Any]] = [row.to_json() for row in said]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        many = f" ({row['count']} times)" if row["count"] > 1 else ""
        value = f": {_value(row['value'])}" if row["value"] else ""
        line = f"{moment(row['at'])}  {row['trigger']}  {row['state']}{many}{value}"
        say(line, style="" if row["state"] in _DONE_WELL else "red")
        for text in (row["note"], row["reason"]):
            if text:
                say(f"    {text}")
        if row["trace_id"]:
            say(f"    hammerstone traces show {row['trace_id'][:12]}", style="dim")
    if not rows:
        tell("Nothing yet.")


@app.command()
def history(name: Name, as_json: AsJson = False) -> None:
    """Show the numbers that a trigger's answers gave over time; the web app draws them."""
    found: dict[str, Any] = with_engine(lambda hs: hs.triggers.book.history(name))
    if as_json:
        print_json(found)
        return
    for point in found["points"]:
        say(f"{moment(point['at'])}  {_value(point['values'])}")
        if point["note"]:
            say(f"    {point['note']}")
    if not found["points"]:
        tell("No numbers yet.")


@app.command()
def run(name: Name, as_json: AsJson = False) -> None:
    """Run a trigger's request once, now, and print what it gave."""
    answer, row = with_engine(lambda hs: _run(hs, name))
    if as_json:
        print_json({**row, "text": answer})
    else:
        say(answer or row["reason"])
        if row["note"]:
            tell(row["note"])
    if row["state"] not in ("done", "question"):
        raise typer.Exit(1)


@app.command()
def send(
    name: Name,
    payload: Annotated[str, typer.Argument(help="The payload, as JSON.")],
    to: Annotated[str | None, typer.Option(help="The server; by default your own.")] = None,
    id: Annotated[str | None, typer.Option(help="The call's id; a new one by default.")] = None,
) -> None:
    """Send a signed call to one of your own webhooks, as its sender would."""
    status, document = asyncio.run(_send(name, payload, to, id))
    print_json({"status": status, **document})
    if status >= 300:
        raise typer.Exit(1)


@app.command()
def work(
    once: Annotated[bool, typer.Option(help="Do what is due now and end.")] = False,
) -> None:
    """Watch and work off triggers without the web app; Ctrl-C ends it."""
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    ensure_files(load_settings())
    with_engine(lambda hs: _work(hs, once))


async def _documents(hs: "Hammerstone", name: str | None = None) -> list[Any]:
    book = hs.triggers.book
    found = [await book.get(name)] if name else await book.list()
    return [await book.document(one) for one in found]


async def _run(hs: "Hammerstone", name: str) -> tuple[str, dict[str, Any]]:
    done = await hs.triggers.run(name)
    return await hs.triggers.text_of(done), dict(done.to_json())


async def _send(name: str, payload: str, to: str | None, id: str | None) -> tuple[int, Any]:
    import time
    import uuid

    import httpx

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.triggers.new_trigger import SECRET
    from hammerstone.connectors.webhooks import signed_headers
    from hammerstone.core.errors import BadRequest, NotFound

    async with Hammerstone.open() as hs:
        await hs.triggers.book.get(name)
        secret = hs.triggers.credentials.get(name, SECRET)
        base = to or f"http://{hs.settings.host}:{hs.settings.port}"
    body = payload.encode()
    headers = signed_headers(secret, id or f"msg_{uuid.uuid4().hex}", int(time.time()), body)
    headers["content-type"] = "application/json"
    try:
        async with httpx.AsyncClient(timeout=20) as client:
            reply = await client.post(f"{base.rstrip('/')}/hooks/{name}", content=body,
                                      headers=headers)  # fmt: skip
    except httpx.HTTPError:
        raise NotFound(f"no server answers at {base}", hint="hammerstone serve") from None
    try:
        document = json.loads(reply.content)
    except ValueError:
        raise BadRequest(f"{base} is no Hammerstone ({reply.status_code})") from None
    return reply.status_code, document


async def _work(hs: "Hammerstone", once: bool) -> None:
    if once:
        done = await hs.triggers.work_off()
        tell(f"{len(done)} done." if done else "Nothing was due.")
        return
    tell("Watching the triggers; Ctrl-C ends it.")
    hs.triggers.driver.start()
    await asyncio.Event().wait()


def _starts(row: dict[str, Any]) -> str:
    config, kind = row["config"], row["kind"]
    if kind == "schedule":
        upcoming = f", next {moment(row['next_at'])}" if row["next_at"] else ""
        return f"{config['cron']} in {config['zone']}{upcoming}"
    if kind == "folder":
        return f"a file {config['pattern']} in {config['folder']}"
    if kind == "webhook":
        return f"a signed call to /hooks/{row['name']}"
    where = ", ".join(config["channels"]) or "all its channels"
    return f"a message in {where}"


def _last(row: dict[str, Any]) -> str:
    last = row["last"]
    return f"{last['state']}, {moment(last['at'])}" if last else "-"


def _of(used: float, limit: float | None) -> str:
    return f"{used:g}" + (f" of {limit:g}" if limit is not None else ", no limit")


def _value(values: dict[str, float]) -> str:
    if list(values) == ["value"]:
        return f"{values['value']:g}"
    return ", ".join(f"{name} {value:g}" for name, value in values.items())
