"""What each policy and each of its numbers is, in words for the people who change them."""

from dataclasses import dataclass

from hammerstone.app.words.care_words import BUILDING, CARE, KEEPING
from hammerstone.app.words.learning_words import LEARNING
from hammerstone.app.words.request_words import ANSWERING, FINDING, SPENDING


@dataclass(frozen=True, slots=True)
class PolicyWords:
    """The policy's title, the heading under which it stands, and a sentence for each number."""

    title: str
    group: str
    fields: dict[str, str]


_HEADINGS = {
    "What it may spend": SPENDING,
    "Finding tools": FINDING,
    "Answering": ANSWERING,
    "Building and proving tools": BUILDING,
    "Care: what it may do, and what it asks you first": CARE,
    "Learning from use": LEARNING,
    "What is kept, and how long": KEEPING,
}
WORDS = {
    name: PolicyWords(title, heading, fields)
    for heading, policies in _HEADINGS.items()
    for name, (title, fields) in policies.items()
}
