"""Events of a run that is taken up again: none twice, numbers go on."""

from typing import Any, cast

from hammerstone.core.answers import Event, EventKind
from hammerstone.run.context import Emitter
from hammerstone.run.services import Records
from tests.hand_clock import HandClock

CLOCK = HandClock()
RECORDS = Records(cast(Any, None), CLOCK, cast(Any, None), lambda value: value)


def stored(number: int, kind: EventKind, text: str) -> Event:
    return Event(kind, "r", "s", number, CLOCK.now(), text, {})


async def test_what_was_said_before_is_not_said_again():
    shown: list[Event] = []

    async def show(event: Event) -> None:
        shown.append(event)

    emitter = Emitter("r", "s", RECORDS, show)
    emitter.go_on_after(
        [
            stored(0, EventKind.SEARCHING, "searching"),
            stored(1, EventKind.SOLUTION, "42"),
            stored(2, EventKind.SOLUTION, "42"),
        ]
    )
    for kind, text in (
        (EventKind.SEARCHING, "searching"),
        (EventKind.SOLUTION, "42"),
        (EventKind.SOLUTION, "41"),
        (EventKind.SOLUTION, "42"),
        (EventKind.SOLUTION, "42"),
        (EventKind.DONE, "42"),
    ):
        await emitter.emit(kind, text)

    assert [(event.number, event.text) for event in shown] == [(3, "41"), (4, "42"), (5, "42")]
    assert emitter.take() == shown
