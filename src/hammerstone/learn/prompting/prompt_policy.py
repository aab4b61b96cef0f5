"""The numbers of the search for prompts."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class PromptTrackPolicy:
    """When a prompt is rewritten plainly, when it is searched for, and how long.

    A trial is one text on one case.
    """

    name: ClassVar[str] = "prompt_track"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "search_from": (2, 1000),
        "rewrites": (1, 50),
        "side_by_side": (1, 50),
        "minibatch": (1, 100),
        "most_chars": (200, 100_000),
        "most_examples": (0, 50),
        "most_example_chars": (0, 100_000),
        "most_rules": (1, 50),
        "warmth": (0.0, 2.0),
        "most_form_loss": (0.0, 1.0),
    }
    search_from: int = 10  # cases; below, a plain rewrite
    rewrites: int = 3  # texts that a plain rewrite chooses from
    trials: int = 400
    seconds: float = 1800.0
    side_by_side: int = 4  # texts that are made in one round of the search
    minibatch: int = 6  # cases that a new text has to do better on before all are tried
    idle_rounds: int = 5  # rounds without a new text after which a search ends
    most_chars: int = 4000  # of instructions
    most_examples: int = 6  # worked examples in a prompt; each is read again with every request
    most_example_chars: int = 6000  # of all examples together
    most_rules: int = 6  # rules at the end of instructions; the oldest one goes
    warmth: float = 0.9  # temperature of the author
    most_form_loss: float = 0.05  # share of replies that may lose the form an example must have
