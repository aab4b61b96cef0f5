"""Candidates and suites from live authors, as many as the examination asks for.

Test authors and code authors are separate contexts that both see only the spec's stub.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from hammerstone.core.answers import EventKind
from hammerstone.core.calls import Call
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.formatting import count as counted
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Model
from hammerstone.core.tools import Case, Effect, Spec
from hammerstone.judging.named_inputs import promised_inputs
from hammerstone.prompts import load
from hammerstone.synthesis.code.recital import recites
from hammerstone.synthesis.code.replies import code_in, read_foretold, read_tests
from hammerstone.synthesis.code.signature import python_hint
from hammerstone.synthesis.code.tidy import is_empty, tidy
from hammerstone.synthesis.files.produced_files import shape_cases

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


Notify = Callable[[EventKind, str, dict[str, Json]], Awaitable[None]]

T = TypeVar("T")

_TEMPERATURE = 0.8
_AT_ONCE = 4  # candidates written side by side: what the embedded model does in one go
PLAIN_ROLES = ("varied", "typical", "boundary", "property")


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the authors are shown: the function's head, and the request it was first needed for.

    `task` is what the code author gets instead of the stub: a docstring in the prompt is a
    docstring in the reply, which on a small machine is most of the time a candidate takes.
    """

    function: str
    stub: str
    context: str = ""
    docstring: str = ""
    task: str = ""
    head: str = ""  # the line that candidates' own heads are replaced by
    note: str = ""  # what test authors have to know besides the stub
    roles: tuple[str, ...] = PLAIN_ROLES
    examples: tuple[Case, ...] = ()  # what the person said; code may not know it by heart
    request: str = ""  # in the person's words, for the author who sees nothing else
    own_call: str = ""  # the request's call, which that author's statements are about

    @property
    def code_task(self) -> str:
        return self.task or f"```python\n{self.stub}\n```\n{self.context}".rstrip()

    def usable(self, codes: Sequence[str]) -> list[str]:
        """The codes that define the function and compute something, made readable."""
        head = imports_of(self.stub)
        made = [tidy(f"{head}\n{c}", self.function, self.docstring, self.head) for c in codes]
        made = [c for c in made if c and not is_empty(c, self.function)]
        return [c for c in made if not recites(c, self.function, self.examples)]


class LiveWitnesses:
    """Test and code authors of a model. The first of each kind is the model's best guess, the
    others are samples, so that they disagree where the model is unsure."""

    def __init__(
        self,
        tester: TestAuthor,
        coder: CodeAuthor,
        assignment: Assignment,
        notify: Notify,
        ready: Sequence[str] = (),
    ) -> None:
        """`ready` are candidates that are there already: they are given before any is written."""
        self._tester = tester
        self._coder = coder
        self._assignment = assignment
        self._notify = notify
        self._ahead = not ready
        self._suites = 0
        self._began = False  # whether code was written once
        self._empty_handed = False  # whether the last round gave nothing usable
        self._spare = list(ready)  # written and not yet asked for

    async def candidates(self, count: int) -> Sequence[str]:
        """Up to `count` modules; none when the model has nothing usable to add."""
        for _ in range(2):  # a round without usable code is followed by one more
            if len(self._spare) >= count:
                break
            try:
                await self._draw()
            except BudgetExceeded:
                if not self._began and not self._spare:
                    raise
                break  # no more of them: what was heard so far is judged
        given, self._spare = self._spare[:count], self._spare[count:]
        return given

    async def _draw(self) -> None:
        task = self._assignment.code_task
        # A small model may give the stub back as it is.
        unwritten = self._assignment.function if self._empty_handed else ""
        write = partial(self._coder.write, task, unwritten=unwritten)
        batches = [write(samples=_AT_ONCE, temperature=_TEMPERATURE)]
        if not self._began:
            batches.insert(0, write(samples=1, temperature=0.0))
        written = [code for batch in await _together(batches) for code in batch]
        self._began = True
        usable = self._assignment.usable(written)
        self._empty_handed = not usable
        self._spare += usable
        text = f"{counted(len(usable), 'program')} written"
        if len(usable) < len(written):
            text += f", {len(written) - len(usable)} unusable"
        await self._notify(EventKind.CANDIDATE, text, {"count": len(usable)})

    async def suites(self, count: int) -> Sequence[Sequence[str]]:
        """`count` lists of tests, each by an author with another point of view.

        The first candidates are written at the same time: they will be needed in any case, and
        a model that writes several texts at once writes them faster.
        """
        if self._suites or not self._ahead:
            return await self._write_suites(count)
        writing = asyncio.ensure_future(self._write_suites(count))
        await _together([writing, self._draw()])
        return writing.result()

    async def _write_suites(self, count: int) -> list[list[str]]:
        task = self._assignment
        roles = task.roles
        numbers = range(self._suites, self._suites + count)
        batches = [self._write_suite(number) for number in numbers]
        try:
            suites = [suite for batch in await _together(batches) for suite in batch]
        except BudgetExceeded:
            if self._suites == 0:
                raise
            return []
        self._suites += count
        total = sum(len(suite) for suite in suites)
        await self._notify(
            EventKind.TEST_WRITTEN,
            f"{counted(total, 'test')} written by {counted(count, 'author')} who did not see "
            "the code",
            {"tests": total, "authors": count, "roles": [roles[n % len(roles)] for n in numbers]},
        )
        return suites

    async def _write_suite(self, number: int) -> list[list[str]]:
        task, role = self._assignment, self._assignment.roles[number % len(self._assignment.roles)]
        if role == REQUEST:
            return [await self._tester.foretell(task.request, task.own_call)]
        return await self._tester.write(
            task.function,
            task.stub,
            role=role,
            samples=1,
            temperature=_TEMPERATURE if number else 0.0,
            note=task.note,
        )


async def _together(parts: Sequence[Awaitable[T]]) -> list[T]:
    """All results, or the first error once everything has ended: nothing runs on unseen."""
    results = await asyncio.gather(*parts, return_exceptions=True)
    done: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done


def imports_of(stub: str) -> str:
    """The import lines that a stub begins with: code written for it may rely on them."""
    lines = [line for line in stub.split("\n") if line.startswith(("import ", "from "))]
    return "\n".join(lines)


_INPUTS = 3  # made from the spec's schema, besides the request's own call


class ProducingWitnesses(LiveWitnesses):
    """Its suites say which files each call has to leave, and that they open.

    A small model cannot say what bytes a file will hold. What candidates put into their files
    is compared between them; whether the files are there and open is a fact to be checked.
    """

    _shapes: Sequence[Sequence[Case]] = ()

    def declared(self, spec: Spec, first: Call | None) -> None:
        """Take the cases from what the spec declares."""
        made = promised_inputs(spec.takes, _INPUTS)
        calls = [one.call(spec.name) for one in made]
        own = [first] if first is not None else calls[:1]
        parts = [own, [call for call in calls if call not in own]]
        self._shapes = [shape_cases(spec.produces, part, "shape") for part in parts if part]

    async def suites(self, count: int) -> Sequence[Sequence[str | Case]]:  # type: ignore[override]
        given, self._shapes = self._shapes[:count], self._shapes[count:]
        total = sum(len(suite) for suite in given)
        if total:
            text = f"{total} calls have to make the files that the tool promises"
            await self._notify(EventKind.TEST_WRITTEN, text, {"tests": total, "authors": 0})
        return given
