"""Which candidates behave alike.

A candidate is taken as a partial function: where it raises, hangs or dies it says nothing.
One that says the same as another and says it on more inputs covers the other one, and takes
over its votes: on a valid input silence is wrong, on an invalid one it does not matter. So a
majority that crashes on lists of odd length loses to the two candidates that do not.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.judging.labels import Labels

Cells = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BehaviourGroup:
    """One behaviour: what it returns per column, and who stands behind it."""

    labels: Cells
    exact: tuple[int, ...]  # draws that return exactly this
    covered: tuple[int, ...]  # draws that return this wherever they return something
    votes: float


def group(
    cells: Cells, raising: Collection[int] = (), *, covering: bool = True
) -> list[BehaviourGroup]:
    """The behaviours of the drawn candidates, one row each, most votes first.

    In the columns of `raising` an exception is an answer like any other; without `covering`
    it is one everywhere.
    """
    patterns: dict[bytes, list[int]] = {}
    for draw in range(len(cells)):
        patterns.setdefault(cells[draw].tobytes(), []).append(draw)
    members = list(patterns.values())
    distinct = cells[[draws[0] for draws in members]]
    defined = (distinct >= 0) if covering else np.ones(distinct.shape, bool)
    for column in raising:
        defined[:, column] |= distinct[:, column] == Labels.RAISED
    covers = _covers(distinct, defined)
    heads = _heads(covers)
    counts = np.array([len(draws) for draws in members], float)
    votes = np.zeros(len(heads))
    for pattern in range(len(members)):
        above = [place for place, head in enumerate(heads) if covers[head, pattern]]
        weights = counts[[heads[place] for place in above]]
        votes[above] += counts[pattern] * weights / weights.sum()
    groups = [
        BehaviourGroup(
            labels=distinct[head],
            exact=tuple(members[head]),
            covered=_flat(members[p] for p in range(len(members)) if covers[head, p]),
            votes=float(votes[place]),
        )
        for place, head in enumerate(heads)
    ]
    return sorted(groups, key=lambda one: -one.votes)


def _covers(distinct: Cells, defined: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """covers[a, b]: a returns what b returns wherever b returns something."""
    count = len(distinct)
    covers = np.zeros((count, count), bool)
    for a in range(count):
        agrees = (distinct == distinct[a]) & defined[a]
        covers[a] = (agrees | ~defined).all(axis=1)
    return covers


def _heads(covers: NDArray[np.bool_]) -> list[int]:
    """Those that no other covers; of those that cover each other, the first."""
    heads: list[int] = []
    for pattern in range(len(covers)):
        beaten = covers[:, pattern] & ~covers[pattern, :]
        twin = any(covers[head, pattern] for head in heads)
        if not beaten.any() and not twin:
            heads.append(pattern)
    return heads


def _flat(parts: Iterable[list[int]]) -> tuple[int, ...]:
    return tuple(sorted(draw for part in parts for draw in part))
