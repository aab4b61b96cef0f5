"""The border of a searched prompt: its instructions and examples may change, nothing else."""

from collections.abc import Sequence

from hammerstone.core.errors import BadRequest
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_trials import WorkedExample
from hammerstone.library.prompting.prompt_shelf import check_prompt
from hammerstone.prompts import Section, instructions, read, with_sections


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
