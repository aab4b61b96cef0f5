"""The events of one run: shown as they happen, stored soon after."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.answers import Event, EventKind, OnEvent
from hammerstone.core.json_types import Json
from hammerstone.run.services import Records

_FLUSH_AFTER_S = 0.25


class Emitter:
    """The events of a run: numbered, shown to whoever watches, and written in batches.

    A quick run writes once, at its end; a long one at least every quarter second that has an
    event in it, so a crash loses next to nothing. What is written is scrubbed; who asked sees
    the events as they are. A run that is taken up again says nothing twice: an event is known by
    its kind, its text, and how many equal ones came before it.
    """

    def __init__(
        self, run_id: str, session_id: str, records: Records, on_event: OnEvent | None
    ) -> None:
        self.run_id = run_id
        self.session_id = session_id
        self._records = records
        self._on_event = on_event
        self._number = 0
        self._said: Counter[tuple[str, str]] = Counter()
        self._waiting: list[Event] = []
        self._flushed_s = records.clock.elapsed_s()

    def go_on_after(self, said: Sequence[Event]) -> None:
        """The run was begun before: these are stored, and numbers go on behind them."""
        self._said = Counter((str(event.kind), event.text) for event in said)
        self._number = max((event.number for event in said), default=-1) + 1

    async def emit(self, kind: EventKind, text: str, **data: Json) -> None:
        if self._said:
            same = (str(kind), self._records.clean_text(text))
            if self._said[same] > 0:
                self._said[same] -= 1
                return
        event = Event(
            kind=kind,
            run_id=self.run_id,
            session_id=self.session_id,
            number=self._number,
            at=self._records.clock.now(),
            text=text,
            data=data,
        )
        self._number += 1
        self._waiting.append(event)
        if self._on_event is not None:
            await self._on_event(event)
        if self._records.clock.elapsed_s() - self._flushed_s > _FLUSH_AFTER_S:
            await self.flush()

    def take(self) -> list[Event]:
        """The events that have not been written yet, scrubbed; whoever takes them writes them."""
        events, self._waiting = self._waiting, []
        records = self._records
        return [
            replace(
                event, text=records.clean_text(event.text), data=records.clean(dict(event.data))
            )
            for event in events
        ]

    async def flush(self) -> None:
        """Write what has not been written yet."""
        events = self.take()
        if events:
            await self._records.db.events.append(events)
        self._flushed_s = self._records.clock.elapsed_s()
