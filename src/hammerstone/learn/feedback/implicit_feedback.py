"""What a request says about the person's earlier ones, without anybody saying anything."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.judging.equality import same
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.library.search.text.request_text import wording
from hammerstone.library.search.text.stems import stems
from hammerstone.storage import Execution

_OWN = frozenset({FeedbackKind.USED, FeedbackKind.AGREED, FeedbackKind.FAILED})
_RELIED_ON = frozenset({FeedbackKind.BUILT_ON, FeedbackKind.REPEATED})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHARED = 0.3  # of the words of two requests, for one to be the other in other words


def implied(
    earlier: Sequence[Feedback],
    run: Sequence[Feedback],
    calls: Sequence[Execution],
    policy: FeedbackPolicy,
    now: datetime,
) -> list[Feedback]:
    """Events about earlier runs that follow from the last `run` and its `calls`.

    `earlier` holds the events of the person's earlier runs, newest run first. A run whose value
    is taken up was built on; one that is asked for again in other words, and comes to something
    else then, did not satisfy; one whose words come again much later is relied on; any other was
    not opposed.
    """
    by_run: dict[str, list[Feedback]] = {}
    for event in earlier:
        by_run.setdefault(event.run_id, []).append(event)
    taken_up = {source for call in calls for source in _runs_used(call)}
    found: list[Feedback] = []
    for place, (id, events) in enumerate(list(by_run.items())[: policy.looks_back]):
        kind = FeedbackKind.UNOPPOSED
        if id in taken_up:
            kind = FeedbackKind.BUILT_ON
        elif place == 0 and _asked_again(events, run, policy, now):
            kind = FeedbackKind.ASKED_AGAIN
        elif _repeated(events, run, policy, now):
            kind = FeedbackKind.REPEATED
        if _says_anew(kind, {event.kind for event in events}):
            found += [_about(event, kind, policy, now) for event in _uses(events)]
    return found


def _says_anew(kind: FeedbackKind, known: set[FeedbackKind]) -> bool:
    """Whether an event adds anything: what was said or happened before outweighs silence."""
    return kind not in known and (kind in _RELIED_ON or known <= _OWN)


def _uses(events: Sequence[Feedback]) -> list[Feedback]:
    tools = {event.tool: event for event in events if event.kind is FeedbackKind.USED}
    return [event for tool, event in tools.items() if tool]


def _about(use: Feedback, kind: FeedbackKind, policy: FeedbackPolicy, now: datetime) -> Feedback:
    return Feedback(
        kind=kind,
        run_id=use.run_id,
        session_id=use.session_id,
        user=use.user,
        at=now,
        tool=use.tool,
        version_id=use.version_id,
        request=use.request,
        reliability=policy.worth(kind),
    )


def _runs_used(call: Execution) -> set[str]:
    """The earlier runs whose values a call took as arguments."""
    sources = call.sources.values()
    return {
        str(source["run"]) for source in sources if isinstance(source, dict) and "run" in source
    }


def _asked_again(
    before: Sequence[Feedback], run: Sequence[Feedback], policy: FeedbackPolicy, now: datetime
) -> bool:
    first = next((event for event in before if event.kind is FeedbackKind.USED), None)
    second = next((event for event in run if event.kind is FeedbackKind.USED), None)
    if first is None or second is None or first.session_id != second.session_id:
        return False
    soon = now - first.at <= timedelta(seconds=policy.asked_again_s)
    other = not same(first.result, second.result)
    return soon and other and asks_the_same(first.request, second.request)


def _repeated(
    before: Sequence[Feedback], run: Sequence[Feedback], policy: FeedbackPolicy, now: datetime
) -> bool:
    """Whether the same words were asked again, and not at once: that would be a second try."""
    first, second = (
        next((event for event in events if event.kind is FeedbackKind.USED), None)
        for events in (before, run)
    )
    if first is None or second is None or not first.words or first.words != second.words:
        return False
    later = now - first.at > timedelta(seconds=policy.asked_again_s)
    return later and same(first.result, second.result)


def asks_the_same(before: str, now: str) -> bool:
    """Whether two requests ask for the same in other words: the same numbers, words in common,
    and not the same words throughout."""
    if wording(before) == wording(now) or before.split() == now.split():
        return False
    numbers = sorted(_NUMBER.findall(before))
    if not numbers or numbers != sorted(_NUMBER.findall(now)):
        return False
    ours, theirs = ({w for w in stems(text) if not w.isdigit()} for text in (before, now))
    return bool(ours | theirs) and len(ours & theirs) >= _SHARED * len(ours | theirs)
