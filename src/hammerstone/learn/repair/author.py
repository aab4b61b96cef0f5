"""Fixes written by a model, from two points of view."""

import ast
from collections.abc import Sequence
from typing import Protocol

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model
from hammerstone.core.tools import Case
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.prompts import load
from hammerstone.synthesis.code.recital import recites
from hammerstone.synthesis.code.replies import code_in
from hammerstone.synthesis.code.tidy import tidy
from hammerstone.synthesis.witnesses import imports_of

MAX_TOKENS = 500


class FixWriter(Protocol):
    """Writes programs in place of a faulty one; a reply without usable code is left out."""

    async def fix(
        self, complaint: Complaint, *, samples: int, temperature: float, passed: Sequence[Case] = ()
    ) -> list[str]: ...

    async def rewrite(
        self, complaint: Complaint, *, samples: int, temperature: float
    ) -> list[str]: ...


class FixAuthor:
    """`fix` sees the faulty code, `rewrite` only the description: independent witnesses."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def fix(
        self,
        complaint: Complaint,
        *,
        samples: int,
        temperature: float,
        passed: Sequence[Case] = (),
    ) -> list[str]:
        """Corrected modules; a reply without usable code is left out."""
        messages = fix_messages(complaint, passed)
        return await self._written(complaint, messages, samples, temperature)

    async def rewrite(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        """Modules written from the description alone, without the faulty code's influence."""
        messages = rewrite_messages(complaint)
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
            max_tokens=MAX_TOKENS,
            temperature=temperature,
            samples=samples,
            purpose="fix",
        )
        reply = await self._model.complete(prompt)
        return usable([code_in(sample.text) for sample in reply.samples], complaint)


def fix_messages(complaint: Complaint, passed: Sequence[Case] = ()) -> tuple[Message, ...]:
    """What an author of a fix is asked."""
    return load("fix").fill(
        spec=complaint.description.strip(),
        code=without_docstring(complaint.code, complaint.function).strip(),
        failures=complaint.told(),
        passes=complaint.told_passes(passed),
    )


def rewrite_messages(complaint: Complaint) -> tuple[Message, ...]:
    """What an author is asked who does not see the faulty code."""
    return load("rewrite").fill(spec=complaint.description.strip(), examples=complaint.expected())


def without_docstring(code: str, function: str) -> str:
    """The module without the function's docstring, which the description has already."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return code
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name != function or len(node.body) < 2:
            continue
        first = node.body[0]
        text = first.value if isinstance(first, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            # Not `splitlines`: the parser does not end a line at U+2028 and the like.
            lines = code.split("\n")
            if node.body[1].lineno > (first.end_lineno or first.lineno) > node.lineno:
                return "\n".join(lines[: first.lineno - 1] + lines[first.end_lineno :])
    return code


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
