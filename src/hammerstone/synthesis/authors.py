"""Test authors and code authors: separate contexts that both see only the spec's stub."""

import re
from collections.abc import Sequence

from hammerstone.core.chat import Prompt
from hammerstone.core.seams import Model
from hammerstone.core.tools import Effect, Spec
from hammerstone.prompts import load
from hammerstone.synthesis.code.replies import code_in, read_foretold, read_tests
from hammerstone.synthesis.code.signature import python_hint

REQUEST = "request"  # an author who sees the request and not the specification

_REFUSING = re.compile(r"\b(error|raise|invalid|refuse|reject|not allowed|must be)", re.IGNORECASE)


def roles_for(spec: Spec) -> tuple[str, ...]:
    """The points of view worth hearing for a spec, most telling first."""
    kinds = [python_hint(schema) for schema in spec.takes.schemas.values()]
    tables = any(kind in ("list[dict]", "list[list]", "dict") for kind in kinds)
    if tables or spec.effect is not Effect.PURE:
        return ("varied", "data quality", "typical", "boundary", "error")
    if any(_REFUSING.search(text) for text in (spec.description, *spec.edge_cases)):
        return ("varied", "typical", "error", "boundary", "property")
    return ("varied", "typical", "boundary", "property", "error")


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
        """One list of test statements for each sample, from the point of view of a role.

        The request is not shown: authors that see its values write a wrong guess about them
        instead of cases they can work out.
        """
        prompt = Prompt(
            load("tests").fill(role, stub=stub, note=note.rstrip(), name=function),
            max_tokens=480,
            temperature=temperature,
            samples=samples,
            purpose="tests",
            part=role,
        )
        reply = await self._model.complete(prompt)
        return [read_tests(sample.text) for sample in reply.samples]

    async def foretell(self, request: str, own_call: str) -> list[str]:
        """What the request's own call should give, by an author who saw only the request.

        It answers in words, so that a misreading in the code is not simply read once more; the
        answer becomes a statement about the call. None where it names no value.
        """
        prompt = Prompt(
            load("foretell").fill(request=request),
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

    async def write(
        self, task: str, *, samples: int, temperature: float, unwritten: str = ""
    ) -> list[str]:
        """A module's source for each sample; empty where the reply holds no code.

        `unwritten` names the function when no body was written for it before.
        """
        prompt = Prompt(
            load("code").fill(task=task, unwritten=unwritten),
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
            (
                *load("code").fill(task=task, unwritten=""),
                *load("code_again").fill(code=code, failures=shown),
            ),
            max_tokens=600,
            temperature=0.0 if samples == 1 else 0.6,
            samples=samples,
            purpose="repair",
        )
        reply = await self._model.complete(prompt)
        return [code_in(sample.text) for sample in reply.samples]
