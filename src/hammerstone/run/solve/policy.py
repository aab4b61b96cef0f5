"""The numbers that decide how many solutions are sampled and how sure an answer is called."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """How many solutions an answer may take, and what its confidence is called."""

    name: ClassVar[str] = "answer"
    sure_at: float = 0.90
    likely_at: float = 0.65
    max_solutions: int = 8
    first: int = 1  # shown as soon as it ran
    then: int = 3
    more: int = 4
    stop_at: float = 0.90  # an answer this sure asks for no more solutions

    @property
    def rounds(self) -> tuple[int, ...]:
        """How many solutions there are after each round of sampling."""
        after = (self.first, self.first + self.then, self.first + self.then + self.more)
        return tuple(dict.fromkeys(min(size, self.max_solutions) for size in after))
