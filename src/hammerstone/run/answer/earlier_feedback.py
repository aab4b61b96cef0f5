"""What a person said about earlier answers to the same words, and what a run leaves to be judged.

A value that a person stated is the answer to the same words from then on; a value that was
refused is never given for them again.
"""

from dataclasses import replace

from hammerstone.core.answers import Answer, Sureness
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.core.hashing import digest
from hammerstone.judging.equality import same
from hammerstone.judging.rendering import in_words
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.run.answer.wording import failed
from hammerstone.run.context import EarlierStatement, Run, ToolUse
from hammerstone.run.request import Request
from hammerstone.run.services import Records
from hammerstone.run.understand.reading import read

TOLD = "told"  # how a request was answered whose value the person stated before
_MOST_PEOPLE = 1_000


def words_key(request: Request, records: Records) -> str:
    """The key of a request's words; empty for one that holds what is not stored."""
    if read(request.text).forces_building or request.given_tool:
        return ""
    if not records.storable(request.text):
        return ""
    return digest("said", request.user, request.text, *request.file_hashes())


def means_itself(request: Request) -> bool:
    """Whether the words mean the same whatever was said before them."""
    reading = read(request.text)
    return not (reading.refers_back or reading.varies)


class EarlierFeedback:
    """The words of each person about earlier answers, read again only when somebody spoke."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._known: dict[str, tuple[int, dict[str, EarlierStatement]]] = {}

    async def about(self, run: Run) -> EarlierStatement:
        """What the person said about answers to the words of this request, whose key is kept."""
        number, user = run.seen.feedback, run.request.user
        key = run.ledger.words = words_key(run.request, self._records)
        if not key or not number:
            return EarlierStatement()
        known = self._known.get(user)
        if known is None or known[0] != number:
            if len(self._known) >= _MOST_PEOPLE:
                self._known.clear()
            known = self._known[user] = (number, by_words(await self._of(user)))
        said = known[1].get(key, EarlierStatement())
        # Words that lean on others may mean another call next time, which the tool may do well.
        return said if means_itself(run.request) else replace(said, tools=frozenset())

    async def _of(self, user: str) -> list[Feedback]:
        return await self._records.db.feedback.said(user)


def by_words(said: list[Feedback]) -> dict[str, EarlierStatement]:
    """The last state of what was said about each request, oldest first in."""
    found: dict[str, EarlierStatement] = {}
    for each in said:
        if not each.words:
            continue
        before = found.get(each.words, EarlierStatement())
        if each.kind is FeedbackKind.CONFIRMED:
            if not (before.known and same(each.result, before.value)):
                found.pop(each.words, None)  # what was refused is right after all
            continue
        refused = (*before.refused, each.result)
        tools = before.tools | frozenset[str]({each.tool} - {""})
        found[each.words] = EarlierStatement(
            each.kind is FeedbackKind.CORRECTED, each.value, refused, tools, f"{each.at:%Y-%m-%d}"
        )
    return found


def told_answer(run: Run, said: EarlierStatement) -> Answer:
    """The value that the person stated, given back."""
    return Answer(
        text=in_words(said.value),
        result=said.value,
        confidence=1.0,
        sureness=Sureness.SURE,
        why=f"you said so on {said.at}",
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=run.request.session_id,
        run_id=run.id,
        strategy=TOLD,
        checks={"confirmed": ["you stated this value"], "contradicted": [], "unverified": []},
    )


def not_refused(run: Run, answer: Answer) -> Answer:
    """The answer, unless the person refused it for these words: then what was stated instead."""
    said = run.ledger.said
    if answer.result is None or not any(same(answer.result, each) for each in said.refused):
        return answer
    run.ledger.uses, run.ledger.made = [], []  # nothing was answered with them
    if said.known:
        return told_answer(run, said)
    text = (
        f"I get {in_words(answer.result)} again, and you said that this is wrong. "
        "Tell me the right value (hammerstone wrong VALUE), or ask in other words."
    )
    return replace(failed(run, text), strategy=answer.strategy)


class RunTrail:
    """The trail of a run, to be judged later: the tools it used, and what speaks for them."""

    def __init__(self, records: Records, policies: Policies) -> None:
        self._records = records
        self._policies = policies

    def events(self, run: Run, answer: Answer | None) -> list[Feedback]:
        """The run's events; without an answer, those of a run that was stopped."""
        ledger = run.ledger
        # A tool that solutions were preferred to has answered nothing.
        calls = ledger.made if answer is None or answer.tool else ()
        uses = ledger.uses or [
            ToolUse(run.request.text, made.tool, made.version_id) for made in calls
        ]
        events: list[Feedback] = []
        if answer is None:
            return [self._event(run, FeedbackKind.ABANDONED, use) for use in uses]
        result = self._records.scrub(answer.result)
        words = ledger.words
        if not (words or run.request.files):
            # Nobody had said anything about any answer, so that it was not needed before.
            words = words_key(run.request, self._records)
        if not uses and answer.result is not None:
            uses = [ToolUse(run.request.text, "")]
        for use in uses:
            kinds = [FeedbackKind.USED] if use.picked is None else []
            if use.agrees:
                kinds.append(FeedbackKind.AGREED)
            if use.picked is not None:
                kinds.append(FeedbackKind.CHOSEN if use.picked else FeedbackKind.PASSED_OVER)
            about = [self._event(run, kind, use) for kind in kinds]
            events += [replace(each, words=words, result=result) for each in about]
        events += [self._event(run, FeedbackKind.OUTVOTED, use) for use in ledger.outvoted]
        for tool, ok in ledger.used:
            if not ok:
                use = ToolUse(run.request.text, tool.name, tool.version.id)
                events.append(self._event(run, FeedbackKind.FAILED, use))
        return events

    def _event(self, run: Run, kind: FeedbackKind, use: ToolUse) -> Feedback:
        records, request = self._records, run.request
        return Feedback(
            kind=kind,
            run_id=run.id,
            session_id=request.session_id,
            user=request.user,
            at=records.clock.now(),
            tool=use.tool,
            version_id=use.version_id,
            # A tool that was called by its name was not found by any words.
            request="" if request.given_tool else records.clean_text(use.text),
            reliability=self._policies.get(FeedbackPolicy).worth(kind),
        )
