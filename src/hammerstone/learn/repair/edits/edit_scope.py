"""An edit of one node, and what it may bring in."""

from dataclasses import dataclass
from typing import TypeAlias

from hammerstone.judging.edit_operators import Change

NodeEdit: TypeAlias = tuple[str, Change]
"""What an edit says to a person, and the change itself."""


@dataclass(frozen=True, slots=True)
class EditScope:
    """What an edit may bring in: the function's own names and constants, and given texts."""

    names: tuple[str, ...]
    functions: tuple[str, ...]
    numbers: tuple[int | float, ...]
    texts: tuple[str, ...]
