"""Changes of tools that a person took back, as feedback about the versions they had made."""

from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.learn.feedback.reader import FeedbackReader
from hammerstone.learn.promotion.proposals import ProposalKind, ProposalState
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Database

_OF_TOOLS = (ProposalKind.REPAIR, ProposalKind.COMPOSITE)


async def note_undone(db: Database, reader: FeedbackReader, policy: FeedbackPolicy) -> int:
    """Append an event for each change of a tool that was undone and not noted yet; how many."""
    noted = 0
    for row in await db.proposals.list(statuses=[ProposalState.UNDONE]):
        version = row.reverse.get("after") if row.reverse else None
        run = f"undo {row.id}"
        if row.kind not in _OF_TOOLS or not version or await db.feedback.of_run(run):
            continue
        last = (await db.proposals.audits(row.id))[-1]
        event = Feedback(
            kind=FeedbackKind.UNDONE,
            run_id=run,
            session_id="",
            user=last.who,
            at=last.at,
            tool=row.target,
            version_id=str(version),
            reliability=policy.worth(FeedbackKind.UNDONE),
        )
        await db.feedback.append([event])
        await reader.judge(run)
        noted += 1
    return noted
