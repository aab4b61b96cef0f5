"""The numbers that decide how many solutions are sampled and how sure an answer is called."""

from dataclasses import dataclass
from typing import ClassVar

from hammerstone.library.policies.policy_changes import SHARE


@dataclass(frozen=True, slots=True)
class AnswerSureness:
    """How sure an answer is called, and what a tool's own chance counts in it."""

    sure_at: float = 0.90
    likely_at: float = 0.65
    chosen_confidence: float = 0.97  # of a value that the person picked out of two
    unknown_tool: float = 0.90  # chance that a tool is right of which nothing is known
    unproved_alone: float = 0.65  # of a tool that was not proved: below, a solution runs beside it
    read_arguments: float = 0.95  # chance that arguments are right that a model read
    agreement_odds: float = 12.0  # how much likelier a tool fits that a solution agrees with
    telling_odds: float = 60.0  # the same, of a value that is hardly met by chance
    nearest: float = 0.05  # fit from which on a tool is tried on the value that solutions gave
    doubtful: float = 0.5  # where the tool's own tests speak against its result


@dataclass(frozen=True, slots=True)
class AnswerPolicy(AnswerSureness):
    """How many solutions an answer may take, and what its confidence is called."""

    name: ClassVar[str] = "answer"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        **dict.fromkeys(("sure_at", "likely_at", "stop_at", "unknown_tool"), SHARE),
        "unproved_alone": SHARE,
        **dict.fromkeys(("read_arguments", "doubtful", "nearest"), SHARE),
        "max_solutions": (1.0, 64.0),
        "temperature": (0.0, 2.0),
    }
    max_solutions: int = 8
    first: int = 1  # shown as soon as it ran
    then: int = 3
    more: int = 4
    stop_at: float = 0.90  # an answer this sure asks for no more solutions
    settled_share: float = 0.75  # of at least four solutions: more will not change the value
    repair_errors: bool = True  # a solution that fails is shown its error once
    solution_tokens: int = 360  # that a model may write for one solution
    temperature: float = 0.8  # of all solutions but the first
    even_share: float = 0.34  # of the votes of the leader and the next: a smaller lead is asked

    @property
    def rounds(self) -> tuple[int, ...]:
        """How many solutions there are after each round of sampling."""
        after = (self.first, self.first + self.then, self.first + self.then + self.more)
        return tuple(dict.fromkeys(min(size, self.max_solutions) for size in after))
