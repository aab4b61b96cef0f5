"""Fixes written by a model, from three points of view."""

import ast
from collections.abc import Sequence

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.synthesis.recital import recites
from hammerstone.synthesis.replies import code_in
from hammerstone.synthesis.tidy import tidy
from hammerstone.synthesis.witnesses import imports_of

_SYSTEM = """\
You repair Python functions. Keep the exact name and parameters, change as little as needed, and \
make it right for every input, not only for the one shown. Reply with one fenced Python block \
that holds the complete function, nothing else."""

_REWRITE = """\
You write correct, simple Python functions using the standard library. Keep the exact name and \
parameters, and reply with one fenced Python block that holds the complete function, nothing \
else."""


class FixAuthor:
    """`fix` sees the faulty code, `rewrite` only the description: independent witnesses."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def fix(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        """Corrected modules; a reply without usable code is left out."""
        user = (
            f"This function has a bug:\n```python\n{complaint.code.strip()}\n```\n"
            f"{complaint.told()}\nWrite the corrected function."
        )
        return await self._written(complaint, _SYSTEM, user, samples, temperature)

    async def rewrite(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        """Modules written from the description alone, without the faulty code's influence."""
        user = (
            f"```python\n{complaint.description.strip()}\n```\n"
            f"For example, {complaint.told().split(' but ')[0].rstrip('.')}.\n"
            "Write the complete function."
        )
        return await self._written(complaint, _REWRITE, user, samples, temperature)

    async def _written(
        self, complaint: Complaint, system: str, user: str, samples: int, temperature: float
    ) -> list[str]:
        prompt = Prompt(
            messages=(Message("system", system), Message("user", user)),
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
