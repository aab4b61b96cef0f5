"""What a suite is run against: the whole product, one tool, one skill, or a model alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.calls import Artifact
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import HammerstoneError, ModelError, Stopped
from hammerstone.core.seams import Model
from hammerstone.evaluation.suites.graders import CaseOutput
from hammerstone.evaluation.suites.suite import Suite, SuiteCase
from hammerstone.prompts import load
from hammerstone.run.request import AskOptions


class SuiteSubject(Protocol):
    """Answers cases. A model that is down raises `ModelError`: the case is not to blame."""

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput: ...


@dataclass(frozen=True, slots=True)
class ProductSubject:
    """The whole product; each case is asked in a session of its own, without memory."""

    engine: Hammerstone

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        files = [suite.folder / name for name in case.files]
        options = AskOptions(memory=False)
        try:
            answer = await self.engine.ask(
                case.request, files=files, session=f"suite {case.id}", options=options
            )
        except (Stopped, ModelError):
            raise
        except HammerstoneError as error:
            return CaseOutput(error=error.message)
        return await produced_by(self.engine, answer)


@dataclass(frozen=True, slots=True)
class ToolSubject:
    """One tool of the library, called with the case's arguments."""

    engine: Hammerstone
    name: str

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        if case.arguments is None:
            return CaseOutput(error="the case has no arguments for a tool")
        answer = await self.engine.run_tool(self.name, dict(case.arguments))
        return await produced_by(self.engine, answer)


@dataclass(frozen=True, slots=True)
class SkillSubject:
    """One skill, run with the case's arguments, or with its request as the text it is given."""

    engine: Hammerstone
    name: str

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        given = dict(case.arguments) if case.arguments is not None else case.request
        done = await self.engine.skill_runs.run(self.name, given)
        return CaseOutput(done.value, files=done.artifacts, error=done.error)


@dataclass(frozen=True, slots=True)
class ModelSubject:
    """A model alone, asked the request as it is: what the product adds is not there."""

    model: Model

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        texts = [case.request, *(_file_text(suite.folder / name) for name in case.files)]
        messages = load("answer_plain").fill(request="\n\n".join(texts))
        prompt = Prompt(messages, max_tokens=400, purpose="suite")
        reply = await self.model.complete(prompt)
        return CaseOutput(text=reply.text.strip(), tokens=reply.usage.tokens)


def _file_text(path: Path) -> str:
    return f"{path.name}:\n{path.read_text('utf-8', 'replace')[:20_000]}"


async def produced_by(engine: Hammerstone, answer: Answer) -> CaseOutput:
    """What an answer of the product is to a grader."""
    files = [await engine.files.get(file.id) for file in answer.files]
    failed = "" if answer.result is not None or answer.files else answer.text
    return CaseOutput(
        answer.result,
        answer.text,
        tuple(Artifact(row.name, content) for row, content in files),
        failed if str(answer.status) != "done" else "",
        answer.cost.tokens,
        answer.trace_id,
    )
