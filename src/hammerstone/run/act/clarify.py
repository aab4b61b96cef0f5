"""One short question instead of a guess, and the answer to one that was asked before."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.approvals import PendingQuestion, Question, QuestionKind, QuestionReply
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Tool
from hammerstone.judging.rendering import in_words, plain
from hammerstone.run.act.approval import Questions
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.context import Run, ToolUse
from hammerstone.run.services import Catalogue, Records

_CHOOSE = "Two tools could be what you mean. Which result do you want?"
_SHOWN = 120
_ANSWERED = ("answered question", 0)  # its place in a run's journal


class Clarification:
    """Questions to the person, and what their answers mean."""

    def __init__(
        self, questions: Questions, catalogue: Catalogue, calls: ToolCalls, records: Records
    ) -> None:
        self._questions = questions
        self._registry = catalogue.registry
        self._calls = calls
        self._records = records

    async def resume(self, run: Run) -> Run:
        """The run with what it answers put together: the earlier request and this answer.

        A person who was asked something may ask for something else instead: the question stays
        open then, until it expires or is answered. A run that is taken up again has answered it.
        """
        hold = run.ledger.hold
        if hold is not None and (known := hold.journal.find(_ANSWERED)) is not None:
            run.ledger.alone = False
            return replace(run, words=known["words"], given_tool=known["tool"])
        asked = await self._questions.open(run) if run.reading.may_answer else None
        question = asked.question if asked is not None else None
        if asked is None or question is None:
            return run
        choosing = question.kind is QuestionKind.CHOICE
        if choosing and not _chooses(run.words, question):
            return run
        before = await self._records.db.runs.find(asked.run_id)
        await run.ready()
        said = await self._questions.answer(run, asked, run.words)
        if before is None:
            return run
        resumed = await self._put_together(run, question, said, before.request)
        if (hold := run.ledger.hold) is not None:
            whole: JsonObject = {"words": resumed.words, "tool": resumed.given_tool}
            await hold.journal.keep(_ANSWERED, whole, resumed.words)
        return resumed

    async def _put_together(
        self, run: Run, question: Question, said: QuestionReply, request: str
    ) -> Run:
        run.ledger.alone = False
        about = question.parameter.replace("_", " ") or question.text
        text = f"{request}\n({about}: {said.text})"
        if question.kind is QuestionKind.CHOICE:
            text = request
            chosen = said.text if said.choice is None else question.tools[said.choice]
            if await self._registry.find(chosen) is not None:
                run.ledger.uses += picked_uses(text, question.tools, said.choice)
                return replace(run, words=text, given_tool=chosen)
        return run.about(text)

    async def ask(self, run: Run, question: Question) -> QuestionReply | None:
        """What the person says now; None when the question waits for the session's next message.

        Doors that ask offer choices; what has none is answered by the next message.
        """
        said = await self._questions.ask(run, question, now=bool(question.choices))
        return None if isinstance(said, PendingQuestion) else said

    async def rival_question(self, run: Run, rival: str, outcome: StepOutcome) -> Question | None:
        """A question when search could not tell two tools apart and their results differ.

        The other tool is called too, if it has no effects and takes the same arguments.
        """
        if outcome.tool is None or outcome.arguments is None:
            return None
        other = await self._registry.find(rival)
        if other is None or not _callable(other, outcome):
            return None
        executed = await self._calls.call(run, other, outcome.arguments)
        if executed.failure is not None or plain(executed.value) == outcome.result:
            return None
        results = ((outcome.tool, outcome.result), (other, plain(executed.value)))
        return Question(
            QuestionKind.CHOICE,
            _CHOOSE,
            choices=tuple(f"{t.name}: {in_words(r)[:_SHOWN]}" for t, r in results),
            tools=tuple(t.name for t, _ in results),
        )


def picked_uses(text: str, tools: Sequence[str], choice: int | None) -> list[ToolUse]:
    """What a person's choice between the results of two tools says about each of them."""
    if choice is None:
        return []
    return [ToolUse(text, tool, picked=place == choice) for place, tool in enumerate(tools)]


def _chooses(text: str, question: Question) -> bool:
    """Whether a text picks one of two results: by its number, its tool's name, or as a whole.

    Anything else asks for something else: "Convert 100 km" is no answer to "which one".
    """
    said = text.strip()
    if said.isdecimal():
        return 1 <= int(said) <= len(question.choices)
    return said in question.choices or said in question.tools


def _callable(other: Tool, outcome: StepOutcome) -> bool:
    spec = other.version.spec
    return spec.effect is Effect.PURE and not spec.takes.mismatch(outcome.arguments or {})
