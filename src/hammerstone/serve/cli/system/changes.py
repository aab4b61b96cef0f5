"""Commands that change what is shared, for the list that `hammerstone people audit` shows."""

from collections.abc import Sequence

from hammerstone.core.triggers import TriggerKind

COMMANDS: dict[tuple[str, ...], str] = {
    ("policies", "set"): "changed a policy",
    ("policies", "restore"): "restored a policy",
    ("tools", "restore"): "restored a version",
    ("tools", "retire"): "retired a tool",
    ("tools", "unretire"): "took a tool back into use",
    ("tools", "deprecate"): "deprecated a tool",
    ("tools", "merge"): "merged tools",
    ("tools", "sync"): "imported tools",
    ("skills", "import"): "imported a skill",
    ("skills", "remove"): "removed a skill",
    ("proposals", "approve"): "decided on a proposal",
    ("proposals", "refuse"): "decided on a proposal",
    ("learn", "run"): "had it learn",
    ("people", "add"): "let somebody in",
    ("people", "revoke"): "revoked a token",
    **{("triggers", "add", str(kind)): "added a trigger" for kind in TriggerKind},
    ("triggers", "pause"): "paused a trigger",
    ("triggers", "resume"): "resumed a trigger",
    ("triggers", "remove"): "removed a trigger",
    ("triggers", "run"): "ran a trigger by hand",
    ("questions", "answer"): "said what a tool should give",
    ("repair",): "had a tool mended",
    ("undo",): "took a lesson back",
    ("stop",): "stopped",
    ("resume",): "resumed",
}
_WITH_A_VALUE = ("--why", "--role", "--days", "--value")
_ONLY_TELLING = ("--dry-run", "--help", "-h")


def change_of(words: Sequence[str]) -> tuple[str, str] | None:
    """What a command changed and of what, by the words it was given; None for one that reads."""
    plain = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before not in _WITH_A_VALUE
    ]
    if any(word in _ONLY_TELLING for word in words) or (words and list(words) == ["stop"]):
        return None
    for length in (3, 2, 1):
        what = COMMANDS.get(tuple(plain[:length]))
        if what is not None:
            target = plain[length] if len(plain) > length else "all"
            return what, target
    return None


def note_change(words: Sequence[str]) -> None:
    """Put a command that was done on the list; what it did is done in any case."""
    change = change_of(words)
    if change is None:
        return
    import asyncio

    from hammerstone.core.errors import HammerstoneError
    from hammerstone.tracing.warn import warn

    try:
        asyncio.run(_note(*change))
    except HammerstoneError as error:
        warn("a change was not put on the audit list", error=error.message)


async def _note(what: str, target: str) -> None:
    from hammerstone.app.books.peoplebook import PeopleBook
    from hammerstone.core.clock import SystemClock
    from hammerstone.core.people import Caller
    from hammerstone.core.settings import load_settings
    from hammerstone.storage import Database

    settings, clock = load_settings(), SystemClock()
    db = await Database.open(settings)
    try:
        book = PeopleBook(db, clock, settings)
        await book.note(Caller(settings.user), what, target, f"command line, {_account()}")
    finally:
        await db.close()


def _account() -> str:
    """The machine's name for whoever typed it."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "somebody"
