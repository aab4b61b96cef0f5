"""Other instructions for a prompt, by a model that is shown what went wrong."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, ModelNonsense
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.learn.prompting.prompt_policy import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_trials import TrialCase, TrialScore
from hammerstone.library.own_prompts import check_prompt
from hammerstone.prompts import instructions, load, read, with_instructions

_BLOCK = re.compile(r"```[a-z]*[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
_SHOWN, _SHOWN_CHARS = 4, 500
_MOST_TOKENS, _RULES = 700, 4


@dataclass(frozen=True, slots=True)
class Lesson:
    """A prompt's text with cases it was tried on, from which another text is to be made."""

    text: str
    tried: tuple[tuple[TrialCase, TrialScore], ...]


class Rewriter:
    """Asks a model for other instructions of one prompt."""

    def __init__(self, model: Model, name: str, policy: PromptTrackPolicy) -> None:
        self._model = model
        self._name = name
        self._policy = policy

    async def rewrite(self, lessons: Sequence[Lesson]) -> list[str | None]:
        """A whole new text for each lesson; None where the model gave none that can be used."""
        return list(await asyncio.gather(*(self._one(at, one) for at, one in enumerate(lessons))))

    async def _one(self, number: int, lesson: Lesson) -> str | None:
        """Every other text is written anew; the others get rules, which small models do better."""
        shown = sorted(lesson.tried, key=lambda pair: pair[1].score)[:_SHOWN]
        cases = "\n".join(_told(case, score) for case, score in shown)
        anew, now = number % 2 == 0, instructions(lesson.text)
        if anew:
            messages = load("reword").fill(instructions=now, cases=cases)
        else:
            messages = load("reword_rules").fill(instructions=now, cases=cases)
        prompt = Prompt(
            messages,
            max_tokens=_MOST_TOKENS,
            temperature=self._policy.warmth,
            seed=number,
            purpose="prompt rewrite",
        )
        try:
            reply = await self._model.complete(prompt)
        except ModelNonsense:
            return None
        new = said_instructions(reply.text) if anew else with_rules(now, said_rules(reply.text))
        return with_checked(self._name, lesson.text, new, self._policy)


def said_instructions(reply: str) -> str:
    """The instructions in a reply: the fenced block, or all of it where there is none."""
    blocks = _BLOCK.findall(reply)
    return (max(blocks, key=len) if blocks else reply).strip()


def said_rules(reply: str) -> list[str]:
    """The rules in a reply: its lines that begin with a dash."""
    lines = [line.strip() for line in reply.split("\n")]
    return [line for line in lines if line.startswith("- ") and len(line) > 10][:_RULES]


def with_rules(now: str, rules: Sequence[str]) -> str:
    """Instructions with rules at their end, in the place of rules that stood there."""
    core = now.split("\n")
    while core and core[-1].startswith("- "):
        core.pop()
    return "\n".join([*core, *rules])


def with_checked(name: str, text: str, new: str, policy: PromptTrackPolicy) -> str | None:
    """The prompt with other instructions, or None where these may not take the old ones' place.

    They have to be short enough, say something else, ask for the same values, and bring no
    message of their own.
    """
    if not new or len(new) > policy.most_chars or new == instructions(text):
        return None
    made = with_instructions(text, new)
    try:
        check_prompt(name, made)
    except BadRequest:
        return None
    before, after = read(name, text).sections, read(name, made).sections
    same = len(before) == len(after) and before[1:] == after[1:]
    return made if same and before[0].placeholders == after[0].placeholders else None


def _told(case: TrialCase, score: TrialScore) -> str:
    said = score.said[:_SHOWN_CHARS]
    text = f"request: {case.request[:_SHOWN_CHARS]}\nreply: {said}\nverdict: {score.feedback}"
    return as_data("a request, a reply and a verdict", text)
