"""`hammerstone demo`: a small folder, a schedule and a webhook, to try triggers with."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

_NAMES = ("demo-folder", "demo-schedule", "demo-webhook")
_JOURNAL = "bread\nmilk\napples\n"


def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Where the small folder goes; your data folder by default.")
    ] = None,
    remove: Annotated[bool, typer.Option(help="Remove the demo's triggers again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set up a folder, a schedule and a webhook to try, and say what to type."""
    done = with_engine(_removed if remove else lambda hs: _set_up(hs, folder))
    if as_json:
        print_json(done)
    elif remove:
        say("The demo's triggers are removed; its folder stays.")
    else:
        _tell_what_to_type(done)


async def _set_up(hs: "Hammerstone", folder: Path | None) -> dict[str, Any]:
    from hammerstone.app.triggers.new_trigger import NewTrigger
    from hammerstone.core.triggers import TriggerKind, TriggerLimits

    known = {one.name: one for one in await hs.triggers.book.list()}
    place = (folder or hs.settings.data_dir / "demo").expanduser().absolute()
    if there := known.get(_NAMES[0]):  # it was set up before: that folder is the watched one
        place = Path(str(there.config["folder"])).parent
    inbox, answers = place / "inbox", place / "answers"
    for path in (inbox, answers):
        path.mkdir(parents=True, exist_ok=True)
    journal = place / "journal.txt"
    journal.write_text(_JOURNAL, "utf-8")
    limits = TriggerLimits(runs_a_day=200)
    new = (
        NewTrigger(
            _NAMES[0], TriggerKind.FOLDER, "How many lines does the file have?",
            {"folder": str(inbox), "pattern": "*.txt"}, limits, f"folder:{answers}",
        ),
        NewTrigger(
            _NAMES[1], TriggerKind.SCHEDULE, "How many lines does the file have?",
            {"cron": "* * * * *", "zone": "UTC", "files": [str(journal)]}, limits,
        ),
        NewTrigger(
            _NAMES[2], TriggerKind.WEBHOOK, "What is {percent}% of {number}?", {}, limits
        ),
    )  # fmt: skip
    for one in new:
        if one.name not in known:
            await hs.triggers.book.add(one, who=hs.settings.user)
    return {
        "folder": str(place),
        "triggers": list(_NAMES),
        "address": f"http://{hs.settings.host}:{hs.settings.port}",
    }


async def _removed(hs: "Hammerstone") -> dict[str, Any]:
    known = {one.name for one in await hs.triggers.book.list()}
    gone = [name for name in _NAMES if name in known]
    for name in gone:
        await hs.triggers.book.remove(name)
    return {"removed": gone}


def _tell_what_to_type(done: dict[str, Any]) -> None:
    inbox = f"{done['folder']}/inbox"
    steps = (
        ("Start the server, in a terminal of its own:", "hammerstone serve"),
        (
            "A schedule runs every minute by itself. Its log:",
            "hammerstone triggers log demo-schedule",
        ),
        (
            "Put a file into the watched folder:",
            f"printf 'one\\ntwo\\nthree\\n' > {inbox}/list.txt",
        ),
        ("Its answer, some seconds later:", f"cat {done['folder']}/answers/*.json"),
        (
            "Call the webhook, signed as its sender would sign it:",
            """hammerstone triggers send demo-webhook '{"percent": 17.5, "number": 240}'""",
        ),
        ("What all of them did, after a minute:", "hammerstone triggers log"),
        ("The same in the browser, with the schedule's plot:", f"{done['address']}/#/triggers"),
        ("When you have seen enough:", "hammerstone demo --remove"),
    )
    tell("Three triggers are set up: a folder, a schedule and a webhook. In this order:")
    for number, (text, typed) in enumerate(steps, 1):
        say(f"{number}. {text}")
        say(f"     {typed}", fold=False)
