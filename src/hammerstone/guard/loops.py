"""Notices work that goes round in circles, across a whole session."""

from collections import OrderedDict
from collections.abc import Mapping

from hammerstone.core.errors import Refused
from hammerstone.core.hashing import call_key, canonical, digest
from hammerstone.core.json_types import Json

_REMEMBERED = 1_000  # calls of a session; a loop longer than this is not one


class LoopDetector:
    """Says no to the call that has been made before and led nowhere, across a whole session.

    Progress is a result that this call has not given before. A call is refused once it gave
    the same result `repeats` times in a row, and any call is refused after `stalled` calls in
    a row, of whatever tools, none of which gave anything new.
    """

    def __init__(self, repeats: int = 3, stalled: int = 8) -> None:
        self._repeats = repeats
        self._stalled_after = stalled
        self._stalled = 0
        self._results: OrderedDict[str, tuple[str, int]] = OrderedDict()

    def check(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Raise `Refused` if making this call again is pointless; ask before each call."""
        times = self._results.get(call_key(tool, dict(arguments)), ("", 0))[1]
        if times >= self._repeats:
            raise Refused(
                f"{tool} was called {times} times with the same arguments and gave the same result",
                hint="change the arguments, use another tool, or ask the person",
                rule="loop",
                tool=tool,
                times=times,
            )
        if self._stalled >= self._stalled_after:
            raise Refused(
                f"the last {self._stalled} calls gave nothing new",
                hint="stop and answer with what is known, or ask the person",
                rule="stalled",
                tool=tool,
                times=self._stalled,
            )

    def record(self, tool: str, arguments: Mapping[str, Json], result: Json) -> None:
        """Remember what a call gave: its value or its error. Replaying a log rebuilds the state."""
        call, given = call_key(tool, dict(arguments)), digest(canonical(result))
        before, times = self._results.pop(call, ("", 0))
        self._results[call] = (given, times + 1 if before == given else 1)
        self._stalled = self._stalled + 1 if before == given else 0
        while len(self._results) > _REMEMBERED:
            self._results.popitem(last=False)

    def new_request(self) -> None:
        """A person spoke: asking for the same again is their right, so counting starts anew."""
        self._stalled = 0
        self._results.clear()
