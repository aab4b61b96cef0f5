"""Prompts in a person's own words, in place of the shipped ones: checked, versioned, undoable."""

from dataclasses import dataclass

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.library.policies import PROMPT, Policies, PolicyDecision
from hammerstone.prompts import read, shipped, shipped_names, shipped_text

UNMEASURED = "every number in the docs was measured with the shipped text"
CALIBRATED = "how sure an answer is was fitted with the shipped text, and is not with this one"


@dataclass(frozen=True, slots=True)
class OwnPrompts:
    """The prompts in force. Another text is given exactly what the shipped one is given."""

    policies: Policies

    def text(self, name: str) -> str:
        """The text in force; raises `NotFound`."""
        _known(name)
        own = self.policies.stored(PROMPT + name)
        return str(own["text"]) if own else shipped_text(name)

    def is_own(self, name: str) -> bool:
        return bool(self.policies.stored(PROMPT + name))

    async def set(self, name: str, text: str, *, who: str, why: str) -> tuple[str, ...]:
        """Put a text in force; what speaks against it, which does not keep it out.

        Raises `NotFound` for an unknown name, `BadRequest` for a text that is no such prompt.
        """
        check_prompt(name, text)
        against = (UNMEASURED, CALIBRATED) if name == "solve" else (UNMEASURED,)
        await self.policies.put(
            PROMPT + name, {"text": text}, PolicyDecision(who, why, against=against)
        )
        return against

    async def reset(self, name: str, *, who: str) -> None:
        """The shipped text is in force again."""
        _known(name)
        if self.is_own(name):
            decision = PolicyDecision(who, "back to the original text")
            await self.policies.put(PROMPT + name, {}, decision)


def check_prompt(name: str, text: str) -> None:
    """Raise `NotFound` or `BadRequest` unless a text can take the shipped prompt's place."""
    _known(name)
    hint = f"hammerstone prompts show {name}"
    try:
        new, old = read(name, text), shipped(name)
    except ValueError as error:
        raise BadRequest(str(error), hint=hint) from None
    if set(new.given) != set(old.given) or new.parts != old.parts:
        told = f"the prompt {name} is given {', '.join(old.given)}, and nothing else"
        raise BadRequest(told, hint=hint)


def _known(name: str) -> None:
    if name not in shipped_names():
        raise NotFound(f"there is no prompt {name!r}", hint="hammerstone prompts list")
