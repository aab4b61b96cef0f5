"""Test authors and code authors: separate contexts that both see only the spec's stub."""

import re
from collections.abc import Sequence

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model
from hammerstone.core.tools import Effect, Spec, parameters_of
from hammerstone.synthesis.replies import code_in, read_foretold, read_tests
from hammerstone.synthesis.types import python_hint

_TEST_SYSTEM = """\
You write tests for Python functions. Choose small, round arguments for which you know the exact \
result. Reply with one fenced Python block of single-line asserts of the form \
`assert f(arguments) == value`, nothing else."""

TEST_ROLES = {
    "varied": "Write 10 asserts with arguments that differ as much as possible from each other. "
    "Do not repeat examples from above.",
    "typical": "Write 10 asserts with typical arguments. Do not repeat examples from above.",
    "boundary": "Write 10 asserts with boundary arguments: empty, zero, one, negative, largest. "
    "Do not repeat examples from above.",
    "property": "Write 5 asserts about what holds for a result without naming the whole of it, "
    "such as its length, its type, its first item or its sign: "
    "`assert len({name}(arguments)) == 2`.",
    "error": "Write 4 tests with arguments that the description does not allow, each of the form "
    "`with raises(ValueError): {name}(arguments)`.",
    "data quality": "Write 5 asserts with messy data: empty, a missing column or key, None, "
    "duplicates, a text where a number belongs.",
}

REQUEST = "request"  # an author who sees the request and not the specification
_FORETELL_SYSTEM = """\
You answer requests by head. Think step by step, shortly, then give the result alone on a last \
line that begins with "Answer: "."""

_REFUSING = re.compile(r"\b(error|raise|invalid|refuse|reject|not allowed|must be)", re.IGNORECASE)


def roles_for(spec: Spec) -> tuple[str, ...]:
    """The points of view worth hearing for a spec, most telling first."""
    kinds = [python_hint(schema) for schema in parameters_of(spec).values()]
    tables = any(kind in ("list[dict]", "list[list]", "dict") for kind in kinds)
    if tables or spec.effect is not Effect.PURE:
        return ("varied", "data quality", "typical", "boundary", "error")
    if any(_REFUSING.search(text) for text in (spec.description, *spec.edge_cases)):
        return ("varied", "typical", "error", "boundary", "property")
    return ("varied", "typical", "boundary", "property", "error")


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
        self,
        function: str,
        stub: str,
        *,
        role: str,
        samples: int,
        temperature: float,
        note: str = "",
    ) -> list[list[str]]:
        """One list of test statements for each sample.

        The request is not shown: authors that see its values write a wrong guess about them
        instead of cases they can work out.
        """
        shown = f"```python\n{stub}\n```\n{note}".rstrip()
        wanted = TEST_ROLES[role].format(name=function)  # a small model would copy an `f`
        prompt = Prompt(
            messages=(
                Message("system", _TEST_SYSTEM),
                Message("user", f"{shown}\n{wanted}"),
            ),
            max_tokens=480,
            temperature=temperature,
            samples=samples,
            purpose="tests",
        )
        reply = await self._model.complete(prompt)
        return [read_tests(sample.text) for sample in reply.samples]

    async def foretell(self, request: str, own_call: str) -> list[str]:
        """What the request's own call should give, by an author who saw only the request.

        It answers in words, so that a misreading in the code is not simply read once more; the
        answer becomes a statement about the call. None where it names no value.
        """
        prompt = Prompt(
            messages=(Message("system", _FORETELL_SYSTEM), Message("user", request)),
            max_tokens=320,
            temperature=0.0,
            purpose="foretell",
        )
        reply = await self._model.complete(prompt)
        return read_foretold(reply.samples[0].text, own_call)


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

    async def repair(
        self, task: str, code: str, failures: Sequence[str], *, samples: int = 1
    ) -> list[str]:
        """New candidates that take the shown failures into account."""
        shown = "\n".join(failures[:3])
        prompt = Prompt(
            messages=(
                Message("system", _CODE_SYSTEM),
                Message("user", task),
                Message("assistant", f"```python\n{code}\n```"),
                Message("user", f"This is not right:\n{shown}\nWrite the corrected function."),
            ),
            max_tokens=600,
            temperature=0.0 if samples == 1 else 0.6,
            samples=samples,
            purpose="repair",
        )
        reply = await self._model.complete(prompt)
        return [code_in(sample.text) for sample in reply.samples]
