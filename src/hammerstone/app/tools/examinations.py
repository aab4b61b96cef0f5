"""Tools of the library examined again, on request or because use brought something new."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from hammerstone.app.books.outcomebook import calibration_for
from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, Tool
from hammerstone.guard.budget import Budget
from hammerstone.library.policies import BuildBudgetPolicy
from hammerstone.library.tools.sharing import Sharing
from hammerstone.run.services import Services
from hammerstone.synthesis.build import AskUser, Builder
from hammerstone.synthesis.examine.suites.pytest_file import pytest_file
from hammerstone.synthesis.examine.verdict import ExaminePolicy
from hammerstone.synthesis.reexamine import LaterEvidence, Reexamination, Reexaminer
from hammerstone.synthesis.request_examples import read_request_examples
from hammerstone.synthesis.witnesses import Notify


class LibraryExaminations:
    def __init__(self, services: Services, sharing: Sharing, *, who: str) -> None:
        self._registry = services.catalogue.registry
        self._workshop = services.workshop
        self._policies = services.guards.policies
        self._tracer = services.records.tracer
        self._db = services.records.db
        self._sharing = sharing
        self._who = who

    async def reexamine(
        self,
        name: str,
        examples: Iterable[str | Case] = (),
        *,
        files: Mapping[str, Path] | None = None,
        notify: Notify | None = None,
        ask: AskUser | None = None,
        user: str | None = None,
    ) -> Reexamination:
        """Examine a tool again with new witnesses and a person's examples (`f(2) == 4`).

        `user` is whose examples and files these are, where it is not this engine's own person.
        """
        await self._policies.load()
        tool = await self._registry.get(name)
        evidence = LaterEvidence(
            self._truth(tool, examples), files=files or {}, user=user or self._who
        )
        limits = self._policies.get(BuildBudgetPolicy)
        budget = Budget(
            tokens=limits.tokens, model_calls=limits.model_calls, usd=limits.usd, name="building"
        )
        models = self._workshop.models
        builder = Builder(
            tester=models.for_role(Role.TESTER, allowance=budget),
            coder=models.for_role(Role.CODER, allowance=budget),
            sandbox=await self._workshop.sandbox(),
            judge=models.for_role(Role.JUDGE, allowance=budget),
            own=await calibration_for(self._db, models.for_role(Role.CODER).name),
        )
        reexaminer = Reexaminer(builder, self._registry, self._policies.get(ExaminePolicy))
        with self._tracer.trace("examine", input=name) as root:
            done = await reexaminer.reexamine(tool, evidence, notify=notify or _silent, ask=ask)
            root.output = {"standing": str(done.verdict.standing)}
        return done

    async def as_pytest(self, name: str) -> str:
        """The tool's code and its frozen suite as a test module that passes by itself."""
        tool = await self._registry.get(name)
        version = await self._sharing.seen_by(tool.version, self._who)
        suite = [case for case in version.suite if "/files/" not in repr(case.call)]
        return pytest_file(version.spec.name, version.code, suite)

    def _truth(self, tool: Tool, examples: Iterable[str | Case]) -> tuple[Case, ...]:
        told: list[Case] = []
        for text in examples:
            if isinstance(text, Case):
                told.append(text)
                continue
            read = read_request_examples(text.replace("==", "->", 1), tool.version.spec)
            if not read.cases:
                raise BadRequest(
                    f"{text!r} is no example of {tool.name}",
                    hint=f"write it like this: {tool.name}(1) == 2",
                )
            told += read.cases
        return tuple(told)


async def _silent(kind: EventKind, text: str, data: dict[str, Json]) -> None:
    return
