"""`hammerstone policies`: the numbers that decide behaviour, and their history."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.completion import complete_policies
from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="The numbers that decide how it behaves.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The policy's name.", autocompletion=complete_policies)]


@app.command()
def show(
    name: Annotated[
        str | None,
        typer.Argument(help="One policy; all without.", autocompletion=complete_policies),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the numbers that are used now, of one policy or of all."""
    found = with_engine(lambda hs: _show(hs, name))
    if as_json:
        print_json(found)
        return
    for policy, values in ({name: found} if name else found).items():
        _show_policy(policy, values)
    if name is None:
        _show_aliases()
    hint("Change one: hammerstone policies set POLICY NAME=VALUE --why REASON")


def _show_aliases() -> None:
    from hammerstone.library.policies.aliases import ALIASES

    say("Other names that you can use", style="bold")
    columns = (Column("name"), Column("means", flows=True))
    rows = [
        (name, f"{alias.policy}: " + ", ".join(f"{k} ({v})" for k, v in alias.fields.items()))
        for name, alias in ALIASES.items()
    ]
    show_table(columns, rows)
    say("")


def _show_policy(policy: str, values: dict[str, Any]) -> None:
    """The policy's name and title, then its numbers with what each means."""
    from hammerstone.app.words.policy_words import WORDS
    from hammerstone.library.policies.aliases import policy_named

    words = WORDS.get(policy_named(policy))
    say(f"{policy}: {words.title}" if words else policy, style="bold")
    meanings = words.fields if words else {}
    columns = (Column("name"), Column("value"), Column("what it means", flows=True))
    rows = [
        (key, value if isinstance(value, str) else json.dumps(value), meanings.get(key, ""))
        for key, value in values.items()
    ]
    show_table(columns, rows)
    say("")


async def _show(hs: "Hammerstone", name: str | None) -> dict[str, Any]:
    from hammerstone.core.errors import BadRequest, NotFound

    if name is None:
        return {kind.name: hs.policies.values_of(kind.name) for kind in hs.policies.kinds}
    try:
        return hs.policies.values_of(name)
    except BadRequest:
        hint = "hammerstone policies show"
        raise NotFound(f"there is no policy {name!r}", hint=hint) from None


@app.command("set")
def set_policy(
    name: Name,
    changes: Annotated[
        list[str],
        typer.Argument(help="name=value pairs, values as JSON; for cache_ttl the value alone."),
    ],
    why: Annotated[str, typer.Option(help="The reason, kept with the change.")],
) -> None:
    """Change a policy; the old version stays and can be restored."""
    values = dict(_value(change, alone=len(changes) == 1) for change in changes)
    changed = _changed(
        name, lambda hs: hs.policies.change(name, values, who=hs.settings.user, why=why)
    )
    _tell(name, changed)


def _value(change: str, *, alone: bool) -> tuple[str, Any]:
    """The name and the value of `high=0.7`; of a value alone the name is `value`."""
    from hammerstone.core.errors import BadRequest

    key, equals, value = change.partition("=")
    if not equals and alone:
        key, equals, value = "value", "=", change
    try:
        return key, json.loads(value)
    except ValueError:
        stated = "=" in change
        wrong = f"{value!r} is no value" if stated else f"{change!r} is not of the form name=value"
        raise BadRequest(wrong, hint='a value is JSON: 0.7, true, "text"') from None


def _changed(name: str, change: "Callable[[Hammerstone], Awaitable[Any]]") -> dict[str, Any]:
    """What a change came to: the old and the new number of each field, and what it ended."""
    from hammerstone.library.policies.aliases import policy_named

    policy = policy_named(name)

    async def around(hs: "Hammerstone") -> dict[str, Any]:
        before, running = hs.policies.values_of(policy), await _running(hs)
        done = await change(hs)
        after, left = hs.policies.values_of(policy), await _running(hs)
        fields = {key: (before[key], after[key]) for key in after if before[key] != after[key]}
        ended = {id: title for id, title in running.items() if id not in left}
        return {"policy": policy, "fields": fields, "ended": ended, "done": done}

    return with_engine(around)


async def _running(hs: "Hammerstone") -> dict[str, str]:
    """The running experiments by id, with what each is about."""
    found = await hs.experiments.list()
    return {one.id: one.title for one in found if str(one.state) == "running"}


def _tell(name: str, changed: dict[str, Any]) -> None:
    for key, (before, after) in changed["fields"].items():
        say(f"{changed['policy']}.{key} is {json.dumps(after)}, it was {json.dumps(before)}")
    if not changed["fields"]:
        tell("No number differs from before.")
    for id, title in changed["ended"].items():
        tell(f"That ended experiment {id} ({title}): it compared with what is gone.")
    if changed["fields"]:
        hint(f"Take it back: hammerstone policies rollback {name}")


@app.command()
def history(name: Name, as_json: AsJson = False) -> None:
    """Show every version of a policy: who made it, when, why, and its numbers."""
    rows = with_engine(lambda hs: _history(hs, name))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell(f"{name} was never changed.")
    for row in rows:
        say(f"{row['number']}  {moment(row['at'])}  {row['who']}: {row['why']}", style="bold")
        say(f"   {json.dumps(row['value'], ensure_ascii=False)}")
        if row["evidence"]:
            say(f"   on the evidence of {json.dumps(row['evidence'], ensure_ascii=False)}")


async def _history(hs: "Hammerstone", name: str) -> list[dict[str, Any]]:
    rows = await hs.policies.history(name)
    return [
        {
            "number": row.number,
            "value": row.value,
            "who": row.who,
            "why": row.why,
            "at": str(row.at),
            "evidence": dict(row.evidence),
        }
        for row in rows
    ]


@app.command()
def diff(
    name: Name,
    old: Annotated[int, typer.Argument(min=0, help="The earlier version; 0 are the defaults.")],
    new: Annotated[
        int | None, typer.Argument(min=0, help="The later one; what is used now without.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two versions of a policy."""
    found: dict[str, Any] = with_engine(lambda hs: hs.policies.diff(name, old, new)).to_json()
    if as_json:
        print_json(found)
        return
    say(f"{found['policy']}: version {found['old']} and version {found['new']}", style="bold")
    for key, change in found["fields"].items():
        say(f"  {key}: {json.dumps(change['old'])} -> {json.dumps(change['new'])}")
    if not found["fields"]:
        tell("Nothing differs.")


@app.command()
def rollback(name: Name) -> None:
    """Go back to the version before the one that is used now."""
    changed = _changed(name, lambda hs: hs.policies.rollback(name, who=hs.settings.user))
    number = changed["done"]
    say(f"{name} is as it was in version {number}." if number else f"{name} has its defaults.")
    _tell(name, changed)


@app.command()
def restore(
    name: Name,
    number: Annotated[int, typer.Argument(help="The version to go back to.")],
) -> None:
    """Use an earlier version of a policy again."""
    changed = _changed(name, lambda hs: hs.policies.restore(name, number, who=hs.settings.user))
    say(f"{name} is as it was in version {number}.")
    _tell(name, changed)
