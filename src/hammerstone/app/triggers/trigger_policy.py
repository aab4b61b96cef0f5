"""The numbers that decide how triggers are watched and worked off."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class TriggerWatch:
    """How triggers are watched and their deliveries worked off."""

    look_every_s: float = 2.0  # for ticks that are due, and for files
    side_by_side: int = 2  # requests of triggers in one process
    lease_s: float = 60.0
    attempts: int = 3
    retry_s: float = 15.0
    clock_slack_s: float = 300.0  # how far a sender's clock may be off
    settle_s: float = 1.0  # a file that changed within this is still being written
    most_files: int = 1_000  # of a watched folder


@dataclass(frozen=True, slots=True)
class TriggerPolicy(TriggerWatch):
    """The watch over triggers, the length of messages, and when a value is unusual."""

    name: ClassVar[str] = "triggers"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "side_by_side": (1, 64),
        "look_every_s": (0.05, 3600.0),
        "unusual_after": (3, 10_000),
        "unusual_spread": (1.0, 100.0),
    }
    message_chars: int = 8_000  # of a chat message that are read
    loop_messages: int = 8  # requests in one conversation within the time below are a loop
    loop_within_s: float = 60.0
    progress_every_s: float = 2.0  # how often the message about progress is changed
    keep_days: float = 90.0  # of the log
    history_days: float = 1_825.0  # of the numbers that answers gave
    unusual_after: int = 8  # values before one can be unusual
    unusual_spread: float = 3.5  # how many spreads from the middle a usual value may be
