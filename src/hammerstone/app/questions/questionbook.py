"""Questions about experimental tools: which wait, which is asked now, what an answer changes."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from hammerstone.app.questions.journal import (
    AskedQuestion,
    QuestionJournal,
    SaidResult,
    contested,
    said_in,
)
from hammerstone.app.questions.question import (
    FILES,
    AnswerEffect,
    OpenQuestion,
    QuestionOutcome,
    examined_reply,
    read_question,
    reply_of,
    typed_value,
)
from hammerstone.app.tools.examinations import LibraryExaminations
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Assessment, Case, CaseKind, CaseOrigin, Status, Tool
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.rendering import show
from hammerstone.library.policies import QuestionPolicy
from hammerstone.library.tools.sharing import Sharing
from hammerstone.run.services import Services
from hammerstone.storage.stores.queue.leases import Lease

_LIST = "hammerstone questions"
_NOTE = "answer to a question"


class QuestionBook:
    """One person is asked one question a day at most, about a tool whose values are theirs or
    nobody's. What they say becomes a case of the tool for good."""

    def __init__(
        self,
        services: Services,
        examining: LibraryExaminations,
        sharing: Sharing,
        *,
        who: str,
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        """`settle` waits until what has happened is stored."""
        db = services.records.db
        self._db = db
        self._clock = services.records.clock
        self._registry = services.catalogue.registry
        self._policies = services.guards.policies
        self._examining = examining
        self._sharing = sharing
        self._who = who
        self._settle = settle
        self._journal = QuestionJournal(db, self._clock)
        self._known: tuple[int, tuple[OpenQuestion, ...]] = (-1, ())

    async def waiting(self, user: str | None = None) -> list[OpenQuestion]:
        """The open questions that somebody may see, the one worth most first."""
        await self._settle()
        who = user or self._who
        ranked = await self._ranked(await self._open(), who)
        return [one for one in ranked if await self._may_see(one, who)]

    async def due(self, user: str | None = None) -> OpenQuestion | None:
        """The question to ask now, which counts as asked; None on most days.

        One that was asked and left open comes again after some days, not the next one.
        """
        who = user or self._who
        await self._policies.load()
        policy = self._policies.get(QuestionPolicy)
        now, known = self._clock.now(), await self._journal.of_person(who)
        if not policy.enabled or known.paused(now, policy.pause_hours):
            return None
        found = [one for one in await self._open() if known.may_ask(one.tool, one.call, now)]
        for one in await self._ranked(found, who):
            if await self._may_see(one, who):
                again = now + timedelta(days=policy.put_off_days)
                asked = AskedQuestion(one.tool, one.call, again)
                kept = await self._journal.note(who, asked, pause_hours=policy.pause_hours)
                return one if kept else None
        return None

    async def put_off(
        self, name: str, *, user: str | None = None, for_good: bool = False
    ) -> QuestionOutcome:
        """Leave a question open: it comes again after some days, or with `for_good` never."""
        who = user or self._who
        tool = await self._registry.get(name)
        question = await self._question(tool, who)
        if question is None:
            raise self._nothing_open(tool)
        await self._policies.load()
        days = self._policies.get(QuestionPolicy).put_off_days
        again = None if for_good else self._clock.now() + timedelta(days=days)
        await self._journal.note(who, AskedQuestion(name, question.call, again))
        if for_good:
            text = "You will not be asked this again."
            return reply_of(tool, AnswerEffect.DROPPED, text)
        return reply_of(tool, AnswerEffect.PUT_OFF, f"It can wait: not before {again:%Y-%m-%d}.")

    async def answer(
        self,
        name: str,
        *,
        choice: int | None = None,
        value: str | None = None,
        user: str | None = None,
    ) -> QuestionOutcome:
        """What came of a person's result: `choice` 1 or 2, or a `value` as it is typed.

        It is kept before the tool is examined with it, so that an interruption loses nothing.
        Raises `BadRequest` for a question that is not open, and for what is no result.
        """
        who = user or self._who
        await self._settle()
        tool = await self._registry.get(name)
        async with self._journal.examining(name) as lease:
            if lease is None:
                raise BadRequest(
                    f"an answer about {name} is being checked now", hint="try again in a while"
                )
            tool = await self._registry.get(name)
            question = await self._question(tool, who)
            if question is None:
                return await self._late(tool, lease, who, (choice, value))
            result = _result(question.results, choice, value, tool)
            said = SaidResult(
                call=question.call,
                results=question.results,
                value=result,
                user=who,
                before=tool.version.id,
                number=tool.version.number,
                status=str(tool.status),
                confidence=tool.confidence,
            )
            before = said_in(lease)
            if before is not None and _disagree(before, said):
                return await self._contradicted(tool, lease, before)
            await self._journal.keep(lease, said)
            return await self._examined(tool, lease, said)

    async def _examined(self, tool: Tool, lease: Lease, said: SaidResult) -> QuestionOutcome:
        case = Case(
            CaseKind.VALUE, Call(source=said.call), said.value, origin=CaseOrigin.USER, note=_NOTE
        )
        done = await self._examining.reexamine(tool.name, [case], user=said.user)
        reply = examined_reply(done, tool.version.code, said.value)
        after = replace(said, after=done.tool.version.id, text=reply.text)
        await self._journal.keep(lease, after)
        return reply

    async def _late(
        self, tool: Tool, lease: Lease, who: str, given: tuple[int | None, str | None]
    ) -> QuestionOutcome:
        """An answer to what was answered meanwhile; raises `BadRequest` where nothing was."""
        said = said_in(lease)
        asked = said and (await self._journal.of_person(who)).find(tool.name, said.call)
        if said is None or not said.after or (asked is None and who != said.user):
            raise self._nothing_open(tool)
        result = _result(said.results, *given, tool)
        if same(decoded(result), decoded(said.value), loose=True):
            mine = who == said.user
            text = f"You told me that before. {said.text}" if mine else _alike(tool)
            return reply_of(tool, AnswerEffect.KNOWN, text)
        if said.contested:
            text = (
                f"Two people gave different results for {tool.name}, so neither of the two counts."
            )
            return reply_of(tool, AnswerEffect.CONTRADICTED, text)
        if who == said.user:
            raise BadRequest(
                f"before, you said {show(said.value)}",
                hint=f"hammerstone prove {tool.name} --example '{said.call} == ...' takes it back",
            )
        return await self._contradicted(tool, lease, said)

    async def _contradicted(self, tool: Tool, lease: Lease, said: SaidResult) -> QuestionOutcome:
        """Two people said different things: the tool stands as it did before the first one."""
        text = f"Somebody else gave another result for `{said.call}`, so neither of the two counts"
        if said.after and tool.version.id == said.after:
            if said.after != said.before:
                tool = await self._registry.restore(tool.name, said.number, who=self._who)
            text += f": {tool.name} is {said.status} as before."
        elif said.after:
            text += f"; {tool.name} was changed since and stays as it is."
        else:
            text += f"; {tool.name} stays {tool.status}."
        evidence: JsonObject = {"reason": "two people gave different results", "question": None}
        if not said.after or tool.version.id == said.before:
            status = Status(said.status) if said.after else tool.status
            standing = Assessment(tool.version.id, status, said.confidence, evidence)
            tool = await self._registry.assess(tool.name, standing)
        await self._journal.keep(lease, contested(said, text))
        return reply_of(tool, AnswerEffect.CONTRADICTED, text)

    async def _question(self, tool: Tool, who: str) -> OpenQuestion | None:
        """The tool's open question, where this person may see it."""
        found = next((one for one in await self._open() if one.tool == tool.name), None)
        return found if found is not None and await self._may_see(found, who) else None

    async def _open(self) -> tuple[OpenQuestion, ...]:
        """Every open question, from memory while no tool was changed."""
        revision = await self._registry.revision()
        if self._known[0] != revision:
            rows = await self._db.questions.list()
            found = tuple(one for one in map(read_question, rows) if one is not None)
            self._known = (revision, found)
        return self._known[1]

    async def _ranked(
        self, questions: "list[OpenQuestion] | tuple[OpenQuestion, ...]", who: str
    ) -> "list[OpenQuestion]":
        used = await self._db.questions.used_by(who, [one.tool for one in questions])
        own = [replace(one, own=one.tool in used or one.asked_by == who) for one in questions]
        return sorted(own, key=lambda one: (one.merit, one.tool), reverse=True)

    async def _may_see(self, one: OpenQuestion, who: str) -> bool:
        """A question may quote values: it is for a person who is the only one they are of.

        A result that is a file, and a tool that was examined with one, are nothing to ask about.
        """
        if not one.people <= {who}:
            return False
        tool = await self._registry.find(one.tool)
        if tool is None or tool.version.id != one.version_id or tool.version.spec.produces:
            return False
        if any(FILES in repr(case.call) for case in tool.version.suite):
            return False
        return await self._sharing.is_open_to(tool.version, who)

    def _nothing_open(self, tool: Tool) -> BadRequest:
        return BadRequest(
            f"{tool.name} is {tool.status} and has no open question for you", hint=_LIST
        )


def _result(results: tuple[Json, Json], choice: int | None, value: str | None, tool: Tool) -> Json:
    """The result that was meant; raises `BadRequest`."""
    if (choice is None) == (value is None):
        raise BadRequest(
            "choose one of the two, or give another value", hint="1, 2, or the value itself"
        )
    if value is not None:
        return typed_value(value, tool.version.spec.returns, results)
    if choice not in (1, 2):
        raise BadRequest(f"there is no choice {choice}", hint="1 or 2, or the value itself")
    return results[choice - 1]


def _disagree(before: SaidResult, said: SaidResult) -> bool:
    """Whether somebody else said otherwise about the same call, which was not looked into yet."""
    other = before.user != said.user and before.call == said.call and before.before == said.before
    return other and not before.contested and not same(decoded(before.value), decoded(said.value))


def _alike(tool: Tool) -> str:
    return f"Somebody said the same before: {tool.name} is {tool.status} now."
