"""Headings under which policies stand, and what a person reads about one."""

from dataclasses import dataclass, field

SPENDING = "What it may spend"
FINDING = "Finding tools"
ANSWERING = "Answering"
BUILDING = "Building and proving tools"
CARE = "Care: what it may do, and what it asks you first"
LEARNING = "Learning from use"
KEEPING = "What is kept, and how long"


@dataclass(frozen=True, slots=True)
class PolicyWords:
    """The policy's title, under which heading it stands, and one sentence for each number."""

    title: str
    group: str
    fields: dict[str, str] = field(default_factory=dict[str, str])


SPENT = {
    "tokens": "Tokens (pieces of words) that models may read and write for it.",
    "model_calls": "How often a model may be called for it.",
    "usd": "Dollars that it may cost.",
}
