"""Labels of decisions for people: what waits for a word, what is known, and saying it."""

from collections.abc import Awaitable, Callable, Sequence

from hammerstone.core.clock import Clock
from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.feedback import Feedback
from hammerstone.learn.labels.labeller import DecisionLabel, Labeller, queue
from hammerstone.learn.policies import LabelPolicy
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Database


class LabelBook:
    """`hammerstone labels`, the page of it, and what the tuner learns from."""

    def __init__(
        self,
        db: Database,
        policies: Policies,
        clock: Clock,
        settle: Callable[[], Awaitable[None]],
        who: str,
    ) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._settle = settle
        self._who = who

    async def list(
        self, *, user: str | None = None, what: str = LabelQuestion.TOOL, limit: int = 50
    ) -> list[DecisionLabel]:
        """A person's last decisions with what is known about them, newest first."""
        await self._settle()
        decisions = await self._db.decisions.list(user=user or self._who, limit=limit)
        return [*reversed(await self._labels(decisions, _question(what)))]

    async def queue(
        self, *, user: str | None = None, what: str = LabelQuestion.TOOL, limit: int | None = None
    ) -> "list[DecisionLabel]":
        """Those of a person's decisions whose label would help most, best first."""
        await self._settle()
        decisions = await self._db.decisions.list(user=user or self._who, limit=1000)
        length = limit or self._policies.get(LabelPolicy).queue_length
        return queue(await self._labels(decisions, _question(what)), length)

    async def set(
        self,
        decision: str,
        right: bool,
        *,
        tool: str = "",
        what: str = LabelQuestion.TOOL,
        user: str | None = None,
    ) -> DecisionLabel:
        """Say whether a decision was right, and which tool is where it was not.

        Raises `NotFound` for a decision that is not the person's, and for a tool that is not
        there; a person's last word stays.
        """
        who, question = user or self._who, _question(what)
        await self._settle()
        made = await self._db.decisions.get(decision)
        if made.user != who:
            raise NotFound(f"there is no decision {decision} of yours")
        if tool and right:
            raise BadRequest("a right choice needs no other tool")
        if tool and await self._db.tools.active(tool) is None:
            raise NotFound(f"there is no tool {tool}", hint="hammerstone tools list")
        label = PersonLabel(made.id, question, who, right, self._clock.now(), tool, made.session_id)
        await self._db.decisions.label(label)
        (now,) = await self._labels([made], question)
        return now

    async def _labels(
        self, decisions: Sequence[SearchDecision], what: LabelQuestion
    ) -> "list[DecisionLabel]":
        return await labels_of(self._db, self._policies, decisions, what)


async def labels_of(
    db: Database,
    policies: Policies,
    decisions: Sequence[SearchDecision],
    what: LabelQuestion = LabelQuestion.TOOL,
) -> list[DecisionLabel]:
    """What is known about decisions, from everything that was said and happened."""
    events: dict[str, list[Feedback]] = {}
    for event in await db.feedback.of_runs([one.run_id for one in decisions]):
        events.setdefault(event.run_id, []).append(event)
    labeller = Labeller(policies.get(LabelPolicy), policies.get(FeedbackPolicy))
    return labeller.labels(decisions, events, await db.decisions.labels(), what)


def _question(what: str) -> LabelQuestion:
    try:
        return LabelQuestion(what)
    except ValueError:
        raise BadRequest(f"a label is about the tool or the answer, not {what!r}") from None
