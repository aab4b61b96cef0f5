"""Fixes written by a model, from three points of view."""

import ast
from collections.abc import Sequence

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.prompts import load
from hammerstone.synthesis.recital import recites
from hammerstone.synthesis.replies import code_in
from hammerstone.synthesis.tidy import tidy
from hammerstone.synthesis.witnesses import imports_of


class FixAuthor:
    """`fix` sees the faulty code, `rewrite` only the description: independent witnesses."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def fix(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        """Corrected modules; a reply without usable code is left out."""
        messages = load("fix").fill(code=complaint.code.strip(), complaint=complaint.told())
        return await self._written(complaint, messages, samples, temperature)

    async def rewrite(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        """Modules written from the description alone, without the faulty code's influence."""
        messages = load("rewrite").fill(
            description=complaint.description.strip(),
            example=complaint.told().split(" but ")[0].rstrip("."),
        )
        return await self._written(complaint, messages, samples, temperature)

    async def _written(
        self,
        complaint: Complaint,
        messages: tuple[Message, ...],
        samples: int,
        temperature: float,
    ) -> list[str]:
        prompt = Prompt(
            messages,
            max_tokens=500,
            temperature=temperature,
            samples=samples,
            purpose="fix",
        )
        reply = await self._model.complete(prompt)
        return usable([code_in(sample.text) for sample in reply.samples], complaint)


def usable(written: Sequence[str], complaint: Complaint) -> list[str]:
    """The modules that define the function, with the imports and helpers of the faulty one."""
    head = imports_of(complaint.code)
    rest = _helpers(complaint.code, complaint.function)
    made: list[str] = []
    for code in written:
        if not code:
            continue
        whole = tidy(f"{head}\n{rest}\n{code}", complaint.function)
        if whole and not recites(whole, complaint.function, complaint.cases):
            made.append(whole)
    return made


def _helpers(code: str, function: str) -> str:
    """The faulty module without the function itself: what a reply may rely on."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return ""
    kept = [n for n in tree.body if getattr(n, "name", None) != function]
    return "\n".join(ast.unparse(node) for node in kept)
