"""The border of a searched prompt, and edits within it that need no author.

Its instructions and examples may change, nothing else; examples come from right replies, and
something may be left out.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hammerstone.core.errors import BadRequest
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_trials import Lesson, TrialCase, TrialScore, WorkedExample
from hammerstone.library.prompting.prompt_shelf import check_prompt
from hammerstone.prompts import Section, instructions, read, with_instructions, with_sections


def examples_of(sections: Sequence[Section]) -> tuple[WorkedExample, ...]:
    """The worked examples of a prompt: a user's message and the reply, both without a place."""
    start = 1 if sections and sections[0].author == "system" else 0
    found: list[WorkedExample] = []
    for asked, reply in zip(sections[start::2], sections[start + 1 :: 2], strict=False):
        if not (_is_plain(asked, "user") and _is_plain(reply, "assistant")):
            break
        found.append(WorkedExample(asked.text, reply.text))
    return tuple(found)


def with_examples(name: str, text: str, examples: Sequence[WorkedExample]) -> str:
    """The prompt's file with these examples in the place of its own."""
    sections = read(name, text).sections
    start = 1 if sections[0].author == "system" else 0
    rest = sections[start + 2 * len(examples_of(sections)) :]
    told: list[Section] = []
    for one in examples:
        told.append(Section("user", "", one.asked.strip("\n")))
        told.append(Section("assistant", "", one.reply.strip("\n")))
    return with_sections(text, (*sections[:start], *told, *rest))


def checked(name: str, old: str, new: str, policy: PromptTrackPolicy) -> str | None:
    """The new text, or None where it may not take the old one's place.

    It has to say something else, ask for the same values in the same messages, and have
    instructions and examples that are short enough.
    """
    try:
        check_prompt(name, new)
    except BadRequest:
        return None
    before, after = read(name, old).sections, read(name, new).sections
    if before == after or not _fits(new, after, policy):
        return None
    told = before[0].author == "system"
    if told and before[0].placeholders != after[0].placeholders:
        return None
    return new if _rest(before) == _rest(after) else None


def _fits(text: str, sections: Sequence[Section], policy: PromptTrackPolicy) -> bool:
    examples = examples_of(sections)
    chars = sum(len(one.asked) + len(one.reply) for one in examples)
    said = instructions(text)
    return (
        0 < len(said) <= policy.most_chars
        and len(examples) <= policy.most_examples
        and chars <= policy.most_example_chars
    )


def _rest(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The messages that are no instructions and no example."""
    start = 1 if sections[0].author == "system" else 0
    return tuple(sections[start + 2 * len(examples_of(sections)) :])


def _is_plain(section: Section, author: str) -> bool:
    return section.author == author and not section.part and not section.placeholders


RULE = "- "


@dataclass(frozen=True, slots=True)
class FoundExample:
    """A right reply to a teaching case, and how often that case was right with it."""

    example: WorkedExample
    score: float


@dataclass(slots=True)
class ExamplePool:
    """Right replies that a search has seen, one a case: those to requests that are often missed
    teach most, so they are drawn more often."""

    _found: dict[str, FoundExample] = field(default_factory=dict[str, FoundExample])

    def see(self, tried: Sequence[tuple[TrialCase, TrialScore]]) -> None:
        for case, score in tried:
            known = self._found.get(case.id)
            if score.right is not None and (known is None or score.score < known.score):
                self._found[case.id] = FoundExample(score.right, score.score)

    def draw(
        self, chance: random.Random, without: Sequence[WorkedExample], cases: Collection[str]
    ) -> WorkedExample | None:
        """One whose request is not among those given, and whose case is not either."""
        asked = {one.asked.strip() for one in without}
        left = [
            one
            for case, one in self._found.items()
            if case not in cases and one.example.asked.strip() not in asked
        ]
        if not left:
            return None
        weights = [1.5 - one.score for one in left]
        return chance.choices(left, weights)[0].example


def with_drawn_example(
    name: str, lesson: Lesson, pool: ExamplePool, most: int, chance: random.Random
) -> str | None:
    """The prompt with one more example, or with another in the place of one; None without any.

    It is none of the lesson's own cases: on these the new text is tried, and would know one.
    """
    examples = examples_of(read(name, lesson.text).sections)
    new = pool.draw(chance, examples, {case.id for case, _ in lesson.tried})
    if new is None or most == 0:
        return None
    kept = list(examples)
    if len(kept) >= most or (kept and chance.random() < 0.5):
        kept[chance.randrange(len(kept))] = new
    else:
        # The last one is read right before the request, and counts most.
        kept.insert(chance.choice([0, len(kept)]), new)
    return with_examples(name, lesson.text, kept)


def without_something(name: str, text: str, chance: random.Random) -> str | None:
    """The prompt without one of its rules or examples, or with its examples in another order."""
    examples = list(examples_of(read(name, text).sections))
    core, rules = split_rules(instructions(text))
    if rules and chance.random() < 0.5:
        rules.pop(chance.randrange(len(rules)))
        return with_instructions(text, "\n".join([core, *rules]))
    if len(examples) < 2:
        return None
    if chance.random() < 0.5:
        examples.pop(chance.randrange(len(examples)))
    else:
        chance.shuffle(examples)
    return with_examples(name, text, examples)


def split_rules(now: str) -> tuple[str, list[str]]:
    """Instructions without the rules at their end, and these."""
    core, rules = now.split("\n"), list[str]()
    while core and core[-1].startswith(RULE):
        rules.insert(0, core.pop())
    return "\n".join(core), rules
