"""Candidates and suites from live authors, as many as the examination asks for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from hammerstone.core.answers import EventKind
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.json_types import Json
from hammerstone.synthesis.authors import TEST_ROLES, CodeAuthor, TestAuthor
from hammerstone.synthesis.tidy import tidy

Notify = Callable[[EventKind, str, dict[str, Json]], Awaitable[None]]

_TEMPERATURE = 0.8


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

    @property
    def code_task(self) -> str:
        return self.task or f"```python\n{self.stub}\n```\n{self.context}".rstrip()


class LiveWitnesses:
    """Test and code authors of a model. The first of each kind is the model's best guess, the
    others are samples, so that they disagree where the model is unsure."""

    def __init__(
        self, tester: TestAuthor, coder: CodeAuthor, assignment: Assignment, notify: Notify
    ) -> None:
        self._tester = tester
        self._coder = coder
        self._assignment = assignment
        self._notify = notify
        self._suites = 0
        self._candidates = 0

    async def candidates(self, count: int) -> Sequence[str]:
        """`count` modules; a reply without usable code counts but is left out."""
        task = self._assignment
        best = 1 if self._candidates == 0 else 0
        batches = [
            self._coder.write(task.code_task, samples=n, temperature=temperature)
            for n, temperature in ((best, 0.0), (count - best, _TEMPERATURE))
            if n > 0
        ]
        try:
            written = [code for batch in await asyncio.gather(*batches) for code in batch]
        except BudgetExceeded:
            if self._candidates == 0:
                raise
            return ()  # no more of them: what was heard so far is judged
        self._candidates += count
        head = imports_of(task.stub)
        usable = [tidy(f"{head}\n{code}", task.function, task.docstring) for code in written]
        usable = [code for code in usable if code]
        text = f"{len(usable)} candidate{'s' if len(usable) != 1 else ''} written"
        if len(usable) < len(written):
            text += f", {len(written) - len(usable)} unusable"
        await self._notify(EventKind.CANDIDATE, text, {"count": len(usable)})
        return usable

    async def suites(self, count: int) -> Sequence[Sequence[str]]:
        """`count` lists of asserts, each by an author with another point of view."""
        task = self._assignment
        roles = list(TEST_ROLES)
        numbers = range(self._suites, self._suites + count)
        batches = [
            self._tester.write(
                task.stub,
                role=roles[number % len(roles)],
                samples=1,
                temperature=0.0 if number < len(roles) else _TEMPERATURE,
            )
            for number in numbers
        ]
        try:
            suites = [suite for batch in await asyncio.gather(*batches) for suite in batch]
        except BudgetExceeded:
            if self._suites == 0:
                raise
            return ()
        self._suites += count
        total = sum(len(suite) for suite in suites)
        who = "1 author" if count == 1 else f"{count} authors"
        await self._notify(
            EventKind.TEST_WRITTEN,
            f"{total} tests by {who} not shown the code",
            {"tests": total, "authors": count},
        )
        return suites


def imports_of(stub: str) -> str:
    """The import lines that a stub begins with: code written for it may rely on them."""
    lines = [line for line in stub.splitlines() if line.startswith(("import ", "from "))]
    return "\n".join(lines)
