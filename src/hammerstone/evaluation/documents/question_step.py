"""How far an evaluation of questions about documents is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class QuestionStep:
    """The question that is asked now, and in which way."""

    way: str
    number: int
    of: int

    @property
    def text(self) -> str:
        return f"{self.way} {self.number} of {self.of}"


OnQuestion: TypeAlias = Callable[[QuestionStep], None]
