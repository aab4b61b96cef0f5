"""Other texts for a prompt: rules and instructions by a model that is shown what went wrong, and
worked examples from replies that were right."""

import asyncio
import json
import random
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject, is_list
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_edits import (
    RULE,
    ExamplePool,
    checked,
    split_rules,
    with_drawn_example,
    without_something,
)
from hammerstone.learn.prompting.prompt_trials import Lesson, TrialCase, TrialScore
from hammerstone.prompts import instructions, load, with_instructions

RULES_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "mistake": {"type": "string", "maxLength": 200},
        "rules": {
            "type": "array",
            "items": {"type": "string", "minLength": 10, "maxLength": 200},
            "minItems": 1,
            "maxItems": 3,
        },
    },
    "required": ["mistake", "rules"],
    "additionalProperties": False,
}
_BLOCK = re.compile(r"```[a-z]*[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_WORD = re.compile(r"\w+")
_SHOWN, _SHOWN_CHARS = 4, 500
_MOST_TOKENS, _RULE_TOKENS = 700, 260
_COPIED_WORDS = 5  # a run of words that a rule may not share with a request it was made from


class TextEdit(StrEnum):
    """A way from one text to another."""

    REWORD = "reword"  # the instructions written anew, by what went wrong
    REPHRASE = "rephrase"  # the same instructions in other words
    RULES = "rules"  # rules added at their end
    EXAMPLE = "example"  # a right reply as an example more, or in the place of one
    LESS = "less"  # a rule or an example fewer, or another order


# A small model is a weak author, and its own right replies are strong examples.
_TURNS = (TextEdit.REWORD, TextEdit.EXAMPLE, TextEdit.RULES, TextEdit.EXAMPLE,
          TextEdit.REPHRASE, TextEdit.EXAMPLE, TextEdit.LESS)  # fmt: skip


class TextAuthor(Protocol):
    """Makes texts of one prompt."""

    async def rewrite(self, lessons: Sequence[Lesson]) -> list[str | None]:
        """A whole new text for each lesson; None where there is none that can be used."""
        ...


class Rewriter:
    """The author of a search. It takes the ways to another text in turn."""

    def __init__(self, model: Model, name: str, policy: PromptTrackPolicy, seed: int = 0) -> None:
        self._model = model
        self._name = name
        self._policy = policy
        self._pool = ExamplePool()
        self._made = 0
        self._seed = seed

    async def rewrite(self, lessons: Sequence[Lesson]) -> list[str | None]:
        for lesson in lessons:
            self._pool.see(lesson.tried)
        first, self._made = self._made, self._made + len(lessons)
        works = (self._one(first + at, lesson) for at, lesson in enumerate(lessons))
        return list(await asyncio.gather(*works))

    async def _one(self, number: int, lesson: Lesson) -> str | None:
        """Where a turn's way gives nothing, rules are asked for."""
        chance = random.Random(f"{self._seed} {number}")
        edit, new = _TURNS[number % len(_TURNS)], None
        if edit is TextEdit.EXAMPLE:
            most = self._policy.most_examples
            new = with_drawn_example(self._name, lesson, self._pool, most, chance)
        elif edit is TextEdit.LESS:
            new = without_something(self._name, lesson.text, chance)
        elif edit is TextEdit.REWORD:
            cases = _told_cases(lesson)
            asked = load("reword").fill(instructions=instructions(lesson.text), cases=cases)
            new = await self._written(asked, number, lesson)
        elif edit is TextEdit.REPHRASE:
            asked = load("rephrase").fill(instructions=instructions(lesson.text))
            new = await self._written(asked, number, lesson)
        if new is not None and (new := self._checked(lesson, new)) is not None:
            return new
        return self._checked(lesson, await self._with_rules(number, lesson))

    def _checked(self, lesson: Lesson, new: str | None) -> str | None:
        return None if new is None else checked(self._name, lesson.text, new, self._policy)

    async def _written(self, asked: tuple[Message, ...], number: int, lesson: Lesson) -> str | None:
        """Instructions by the model; None where it did the requests instead."""
        said = await self._asked(Prompt(asked, max_tokens=_MOST_TOKENS, **self._way(number)))
        new = said_instructions(said)
        if not new or copies(new, lesson.requests, allowed=instructions(lesson.text)):
            return None
        return _instructed(lesson.text, new)

    async def _with_rules(self, number: int, lesson: Lesson) -> str | None:
        messages = load("reword_rules").fill(
            instructions=instructions(lesson.text), cases=_told_cases(lesson)
        )
        way = self._way(number)
        said = await self._asked(
            Prompt(messages, schema=RULES_SCHEMA, max_tokens=_RULE_TOKENS, **way)
        )
        rules = [rule for rule in said_rules(said) if not copies(rule, lesson.requests)]
        if not rules:
            return None
        new = with_rules(instructions(lesson.text), rules, self._policy.most_rules)
        return _instructed(lesson.text, new)

    def _way(self, number: int) -> dict[str, Any]:
        return {"temperature": self._policy.warmth, "seed": number, "purpose": "prompt rewrite"}

    async def _asked(self, prompt: Prompt) -> str:
        try:
            return (await self._model.complete(prompt)).text
        except ModelNonsense:
            return ""


def said_instructions(reply: str) -> str:
    """The instructions in a reply: the fenced block, or all of it where there is none."""
    blocks = _BLOCK.findall(reply)
    return (max(blocks, key=len) if blocks else reply).strip()


def said_rules(reply: str) -> list[str]:
    """The rules in a reply, each in one line; none where it cannot be read."""
    found = _OBJECT.search(reply)
    try:
        rules: Any = json.loads(found[0])["rules"] if found else None
    except (ValueError, KeyError, TypeError):
        return []
    said = rules if is_list(rules) else []
    lines = [" ".join(one.split()) for one in said if isinstance(one, str)]
    return [line for line in lines if line][:3]


def copies(text: str, requests: Sequence[str], allowed: str = "") -> bool:
    """Whether a text repeats a request that it was made from: many words in a row, or a number.

    What the `allowed` text says as well does not count.
    """
    said, before = _words(text), _words(allowed)
    runs = _runs(said) - _runs(before)
    numbers = {word for word in said if any(sign.isdigit() for sign in word)} - set(before)
    return any(numbers & set(words) or runs & _runs(words) for words in map(_words, requests))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    """All that stands in a row, so many words long."""
    return {tuple(words[at : at + _COPIED_WORDS]) for at in range(len(words) - _COPIED_WORDS + 1)}


def with_rules(now: str, rules: Sequence[str], most: int) -> str:
    """Instructions with more rules at their end; of too many the oldest ones go."""
    core, old = split_rules(now)
    every = list(dict.fromkeys([*old, *(RULE + rule.removeprefix(RULE) for rule in rules)]))
    return "\n".join([core, *every[-most:]])


def _instructed(text: str, new: str) -> str | None:
    """The prompt with other instructions; None for some that bring messages of their own."""
    made = with_instructions(text, new) if new else ""
    return made if new and instructions(made) == new.strip() else None


def _told_cases(lesson: Lesson) -> str:
    shown = sorted(lesson.tried, key=lambda pair: pair[1].score)[:_SHOWN]
    return "\n".join(_told(case, score) for case, score in shown)


def _told(case: TrialCase, score: TrialScore) -> str:
    said = score.said[:_SHOWN_CHARS]
    text = f"request: {case.request[:_SHOWN_CHARS]}\nreply: {said}\nverdict: {score.feedback}"
    return as_data("a request, a reply and a verdict", text)
