"""Test authors and code authors: separate contexts that both see only the spec's stub."""

import ast
import re
from collections.abc import Sequence

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model

_FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)

_TEST_SYSTEM = """\
You write tests for Python functions. Choose small, round arguments for which you know the exact \
result. Reply with one fenced Python block of single-line asserts of the form \
`assert f(arguments) == value`, nothing else."""

TEST_ROLES = {
    "varied": "Write 6 asserts with arguments that differ as much as possible from each other.",
    "typical": "Write 6 asserts with typical arguments.",
    "boundary": "Write 6 asserts with boundary arguments: empty, zero, one, negative, largest.",
}

_CODE_SYSTEM = """\
You write correct, simple Python functions using the standard library. Keep the exact name and \
parameters, validate what the description requires, and reply with one fenced Python block \
that holds the complete function, nothing else."""


class TestAuthor:
    """Writes suites of asserts; never sees code."""

    __test__ = False  # not a pytest class

    def __init__(self, model: Model) -> None:
        self._model = model

    async def write(
        self, stub: str, *, role: str, samples: int, temperature: float
    ) -> list[list[str]]:
        """One list of assert statements for each sample.

        The request is not shown: authors that see its values write a wrong guess about them
        instead of cases they can work out.
        """
        prompt = Prompt(
            messages=(
                Message("system", _TEST_SYSTEM),
                Message("user", f"```python\n{stub}\n```\n{TEST_ROLES[role]}"),
            ),
            max_tokens=320,
            temperature=temperature,
            samples=samples,
            purpose="tests",
        )
        reply = await self._model.complete(prompt)
        return [asserts_in(sample.text) for sample in reply.samples]


class CodeAuthor:
    """Writes candidates; does not see the tests."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def write(self, task: str, *, samples: int, temperature: float) -> list[str]:
        """A module's source for each sample; empty where the reply holds no code."""
        prompt = Prompt(
            messages=(Message("system", _CODE_SYSTEM), Message("user", task)),
            max_tokens=600,
            temperature=temperature,
            samples=samples,
            purpose="code",
        )
        reply = await self._model.complete(prompt)
        return [code_in(sample.text) for sample in reply.samples]

    async def repair(self, task: str, code: str, failures: Sequence[str]) -> str:
        """A new candidate that takes the shown failures into account."""
        shown = "\n".join(failures[:3])
        prompt = Prompt(
            messages=(
                Message("system", _CODE_SYSTEM),
                Message("user", task),
                Message("assistant", f"```python\n{code}\n```"),
                Message("user", f"This is not right:\n{shown}\nWrite the corrected function."),
            ),
            max_tokens=600,
            purpose="repair",
        )
        reply = await self._model.complete(prompt)
        return code_in(reply.text)


def code_in(text: str) -> str:
    """The Python module in a model's reply: its fenced blocks, else the whole when it parses."""
    blocks = _FENCE.findall(text) or [text]
    joined = "\n\n".join(block.strip("\n") for block in blocks)
    for source in (joined, blocks[0].strip("\n")):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if any(isinstance(node, ast.FunctionDef | ast.Import) for node in tree.body):
            return source
    return ""


def asserts_in(text: str) -> list[str]:
    """The single-line assert statements in a model's reply, each parsable by itself."""
    blocks = _FENCE.findall(text) or [text]
    found: list[str] = []
    for line in "\n".join(blocks).splitlines():
        statement = line.strip()
        if not statement.startswith("assert "):
            continue
        try:
            ast.parse(statement)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if statement not in found:
            found.append(statement)
    return found
