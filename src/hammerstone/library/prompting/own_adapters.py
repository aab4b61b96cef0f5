"""The embedded model's adapter in use: changed by a person or by the gate, noted and undoable."""

from hammerstone.core.changes import ProposalKind
from hammerstone.core.clock import Clock
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.models.local.adapters import AdapterShelf, KeptAdapter
from hammerstone.storage import Database

TARGET = "embedded model"


class OwnAdapters:
    """The adapters of this installation, and which one is put on the embedded model."""

    def __init__(self, shelf: AdapterShelf, db: Database, clock: Clock) -> None:
        self.shelf = shelf
        self._db = db
        self._clock = clock

    def list(self) -> list[KeptAdapter]:
        return self.shelf.list()

    @property
    def active(self) -> str:
        return self.shelf.active()

    async def activate(self, name: str, *, who: str, why: str, proposal: str = "") -> str:
        """Put one in use, with its entry in the ledger; what was in use before.

        `proposal` is the entry that the gate has made for it. The model takes it up when it is
        started the next time.
        """
        before = self.shelf.active()
        if name not in ("off", "shipped"):
            self.shelf.get(name)
        note = ChangeNote(
            kind=ProposalKind.ADAPTER,
            target=TARGET,
            title=f"adapter {name} in the place of {before}",
            who=who,
            reason=why,
            reverse={"before": before, "after": name},
            change={"adapter": name},
            proposal=proposal,
        )
        async with self._db.transaction() as stores:
            if before != name:
                await keep_note(stores, note, self._clock.now())
            self.shelf.activate(name)
        return before

    def put_back(self, before: str, after: str) -> bool:
        """Take a change back; False when something else is in use by now, which stays."""
        if self.shelf.active() != after:
            return False
        known = {one.name for one in self.shelf.list()}
        self.shelf.activate(before if before in known or before == "off" else "shipped")
        return True
