"""The sequences of tools in a run: whole, windows of it, and what hangs together by data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hammerstone.core.dataflow import FromStep, declared_results
from hammerstone.storage.stores.library.patterns import LoggedCall

MAX_STEPS = 50  # of one run: what is longer is a loop, not a workflow


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that some tools ran in this order."""

    steps: tuple[LoggedCall, ...]
    whole: bool
    flowing: bool  # each step but the first takes something from an earlier one of them

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(step.tool for step in self.steps)

    @property
    def ok(self) -> bool:
        return all(step.ok for step in self.steps)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)

    @property
    def place(self) -> str:
        """Where it can be read again: run and number of each step."""
        return "|".join(f"{step.run_id}:{step.number}" for step in self.steps)


def read_place(place: str) -> list[tuple[str, int]]:
    """The steps behind `Occurrence.place`."""
    found: list[tuple[str, int]] = []
    for part in place.split("|"):
        run, _, number = part.rpartition(":")
        found.append((run, int(number)))
    return found


def flows(call: LoggedCall) -> Iterator[tuple[str, str, FromStep[int]]]:
    """For each argument that was an earlier result: its name, the run, and the step in it."""
    return declared_results(call.sources, call.run_id)


def foreign_runs(calls: Sequence[LoggedCall]) -> list[str]:
    """Other runs of the session whose results these calls use."""
    found = {run for call in calls for _, run, _ in flows(call) if run != call.run_id}
    return sorted(found)


def occurrences(
    own: Sequence[LoggedCall],
    before: Sequence[LoggedCall] = (),
    *,
    longest: int,
    longest_whole: int,
) -> list[Occurrence]:
    """Every sequence that ends in this run, each once.

    `before` are calls of earlier runs whose results it uses: sequences that cross into them
    are found too. Windows have at most `longest` steps, so the work grows with the number of
    calls and not with its square.
    """
    own = own[:MAX_STEPS]
    needed = _needed(own, before)
    found: dict[str, Occurrence] = {}
    calls = [*needed, *own]
    first_own = len(needed)
    links = _links(calls)
    for chain in _chains(calls, links, first_own):
        for window in _windows(chain, first_own, longest):
            _add(found, calls, window, links, whole=False)
    for place in range(first_own, len(calls)):
        _add(found, calls, (place,), links, whole=len(calls) == 1)
    if 1 < len(calls) <= longest_whole:
        _add(found, calls, tuple(range(len(calls))), links, whole=True)
    return list(found.values())


def _needed(own: Sequence[LoggedCall], before: Sequence[LoggedCall]) -> list[LoggedCall]:
    """The earlier calls whose results are used, directly or through one another, in order."""
    known = {(call.run_id, call.number): call for call in before}
    wanted: dict[tuple[str, int], None] = {}
    stack = list(own)
    while stack:
        call = stack.pop()
        for _, run, source in flows(call):
            key = (run, source.step)
            if key in known and key not in wanted:
                wanted[key] = None
                stack.append(known[key])
    return [call for call in before if (call.run_id, call.number) in wanted]


def _links(calls: Sequence[LoggedCall]) -> dict[int, set[int]]:
    """For each call the earlier ones it takes something from."""
    place = {(call.run_id, call.number): n for n, call in enumerate(calls)}
    links: dict[int, set[int]] = {}
    for n, call in enumerate(calls):
        sources = {place.get((run, source.step), -1) for _, run, source in flows(call)}
        links[n] = {source for source in sources if 0 <= source < n}
    return links


def _chains(
    calls: Sequence[LoggedCall], links: Mapping[int, set[int]], first_own: int
) -> Iterator[tuple[int, ...]]:
    """The run as it was, and each group that hangs together by data, without what is between."""
    yield tuple(range(first_own, len(calls)))
    group = list(range(len(calls)))
    for n, sources in links.items():
        for source in sources:
            old, new = group[n], group[source]
            group = [new if each == old else each for each in group]
    for which in dict.fromkeys(group):
        members = tuple(n for n, each in enumerate(group) if each == which)
        if len(members) > 1 and members[-1] >= first_own:
            yield members


def _windows(chain: tuple[int, ...], first_own: int, longest: int) -> Iterator[tuple[int, ...]]:
    for end in range(2, len(chain) + 1):
        if chain[end - 1] < first_own:
            continue
        for length in range(2, min(longest, end) + 1):
            yield chain[end - length : end]


def _add(
    found: dict[str, Occurrence],
    calls: Sequence[LoggedCall],
    window: tuple[int, ...],
    links: Mapping[int, set[int]],
    *,
    whole: bool,
) -> None:
    """Keep an occurrence; of one sequence the best in a run: whole before part, flowing first."""
    inside = set(window)
    flowing = len(window) > 1 and all(links[n] & inside for n in window[1:])
    made = Occurrence(tuple(calls[n] for n in window), whole, flowing)
    key = "\x1f".join(made.tools)
    old = found.get(key)
    if old is None:
        found[key] = made
    elif (made.flowing, made.ok) > (old.flowing, old.ok) or (whole and made.tools == old.tools):
        better = max(old, made, key=lambda one: (one.flowing, one.ok))
        found[key] = Occurrence(better.steps, old.whole or whole, better.flowing)
