"""How far each signal of use can be believed, against the truth, and what labels come of them.

    python -m evals.labels [--set quick|full] [--json]

Sessions over `requests/dev.jsonl` with the recorded solutions of `dev_bank.json.gz` (their values,
and whether each is right), and over `families.jsonl`, where requests resemble each other and a
third of the answers is made wrong. People react by the simple model in `evals/label_people.py`;
what is read from that is read by the product's own rules. `agreed`, `outvoted` and `failed` do not
depend on the model of people: all solutions were really written and run. Two people who game the
signal are among them: one calls every answer wrong, one calls every answer right.

The stated chances (policy `labels`) were set by an earlier run of this script on half of the
requests, by their ids; everything here is measured on the other half.
"""

import gzip
import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from evals.label_people import Asked, Attempt, Person
from evals.measured import measured
from hammerstone.core.decisions import LabelQuestion, SearchDecision
from hammerstone.core.feedback import FOR, Feedback, FeedbackKind
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.learn.labels.labeller import DecisionLabel, Labeller
from hammerstone.learn.policies import LabelPolicy
from hammerstone.library.policies.feedback_policy import FeedbackPolicy

LENGTH = 8  # requests of a session
WRONG_SHARE = 3  # one in so many answers to a family's request is made wrong
SIGNALS = (
    FeedbackKind.CORRECTED,
    FeedbackKind.REFUSED,
    FeedbackKind.CONFIRMED,
    FeedbackKind.PASSED_OVER,
    FeedbackKind.AGREED,
    FeedbackKind.OUTVOTED,
    FeedbackKind.BUILT_ON,
    FeedbackKind.REPEATED,
    FeedbackKind.ASKED_AGAIN,
    FeedbackKind.UNOPPOSED,
    FeedbackKind.ABANDONED,
    FeedbackKind.FAILED,
)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Stated against measured reliability of every signal, and of the labels made of them."""
    every = [*_recorded(context), *_families(context)]
    asked = [one for one in every if hashlib.sha256(one.text.encode()).digest()[0] % 2]
    rounds = amount(context, instant=2, quick=5, full=20)
    policy, feedback = LabelPolicy(), FeedbackPolicy()
    people, truth = _lived(asked, rounds, feedback)
    honest = [one for one in people if one.always is None]
    events = [event for one in honest for event in one.log]
    context.say(f"{len(truth)} answers, {len(events)} events of {len(people)} people")
    for kind in SIGNALS:
        stated = policy.chance(kind)
        right, seen = _reliability(kind, events, truth)
        if not seen:
            continue
        yield case(
            str(kind), abs(right / seen - stated) < 0.15, numbers={"seen": seen},
            asked=f"stated {stated:.0%}", given=f"measured {right / seen:.1%} of {seen}",
            wanted="within 15 points", reason="" if abs(right / seen - stated) < 0.15 else "off",
        )  # fmt: skip
        yield higher(
            f"{kind}, measured on {seen}", right / seen, baseline=stated, baseline_name="stated"
        )
    decisions, by_run = _logged(people)
    labeller = Labeller(policy, feedback)
    labelled = labeller.labels(decisions, by_run, what=LabelQuestion.ANSWER)
    for finding in _quality(labelled, truth, {one.name for one in honest}):
        yield finding
    trust = labeller.trust(decisions, by_run, LabelQuestion.ANSWER)
    least = min(trust.get(one.name, policy.person) for one in honest)
    yield higher(
        "belief in the others, the least", least, baseline=policy.person, baseline_name="anybody"
    )
    for one in people:
        if one.always is not None:
            mean = trust.get(one.name, policy.person)
            yield lower(f"belief in who always says {one.always}", mean, "share",
                        baseline=policy.person, baseline_name="anybody")  # fmt: skip


def _lived(
    asked: Sequence[Asked], rounds: int, policy: FeedbackPolicy
) -> tuple[list[Person], dict[str, Attempt]]:
    people = [Person(f"p{number}", random.Random(number)) for number in range(6)]
    people += [
        Person("says-wrong", random.Random(7), FeedbackKind.REFUSED),
        Person("says-right", random.Random(8), FeedbackKind.CONFIRMED),
    ]
    draw, truth = random.Random(0), dict[str, Attempt]()
    for number in range(rounds * len(asked) // LENGTH):
        person = people[number % len(people)]
        truth |= person.session(draw.sample(asked, LENGTH), policy)
    return people, truth


def _reliability(
    kind: FeedbackKind, events: Sequence[Feedback], truth: Mapping[str, Attempt]
) -> tuple[int, int]:
    """How often a signal pointed the right way, and how often there was one."""
    runs = {event.run_id for event in events if event.kind is kind}
    right = sum(truth[run].right == (kind in FOR) for run in runs)
    return right, len(runs)


def _logged(
    people: Sequence[Person],
) -> tuple[list[SearchDecision], dict[str, list[Feedback]]]:
    by_run: dict[str, list[Feedback]] = defaultdict(list)
    decisions: dict[str, SearchDecision] = {}
    for event in (event for one in people for event in one.log):
        by_run[event.run_id].append(event)
        decisions.setdefault(
            event.run_id,
            SearchDecision(
                event.run_id, event.run_id, event.session_id, event.user, event.at, event.request,
                event.tool, "high", 0.9,
            ),
        )  # fmt: skip
    return [*decisions.values()], by_run


def _quality(
    labels: Sequence[DecisionLabel], truth: Mapping[str, Attempt], honest: set[str]
) -> list[Finding]:
    """How many answers got a label, how many of those are right, and how sure they were."""
    base = sum(one.right for one in truth.values()) / len(truth)
    found: list[Finding] = []
    for who, names in (("people", honest), ("people who game it", None)):
        mine = [one for one in labels if (one.decision.user in honest) == (names is not None)]
        known = [one for one in mine if one.right is not None]
        right = [one.right == truth[one.decision.run_id].right for one in known]
        if not known:
            continue
        weight = sum(one.certainty for one in known)
        sure = sum(one.certainty * ok for one, ok in zip(known, right, strict=True)) / weight
        stated = weight / len(known)
        found += [
            higher(f"{who}: answers with a label", len(known) / len(mine)),
            higher(f"{who}: labels that are right", sum(right) / len(known),
                   baseline=max(base, 1 - base), baseline_name="always the same label"),
            higher(f"{who}: the same, weighted", sure, baseline=stated, baseline_name="stated"),
        ]  # fmt: skip
    against = Counter(one.contradicted for one in labels)
    found.append(higher("signals that contradict each other", against[True] / len(labels)))
    return found


def _recorded(context: MeasurementContext) -> list[Asked]:
    """Requests with recorded solutions: prompt D answers, the first two of B are independent."""
    texts = {row["id"]: row["q"] for row in _rows(context.file("requests/dev.jsonl"))}
    path = context.file("requests/dev_bank.json.gz")
    bank: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    by_prompt = {(row["id"], row["prompt"]): _attempts(row) for row in bank}
    return [
        Asked(id, text, by_prompt[id, "D"], by_prompt[id, "B"][:2])
        for id, text in texts.items()
        if (id, "D") in by_prompt and (id, "B") in by_prompt
    ]


def _attempts(row: dict[str, Any]) -> tuple[Attempt, ...]:
    pairs = zip(row["values"], row["right"], strict=True)
    return tuple(Attempt(value, bool(right), value is None) for value, right in pairs)


def _families(context: MeasurementContext) -> list[Asked]:
    """Requests that resemble each other; every third answer is made wrong, the second is right."""
    found: list[Asked] = []
    for number, row in enumerate(_rows(context.file("requests/families.jsonl"))):
        right = Attempt(row["want"], True)
        wrong = Attempt(["not", row["want"]], False)
        first = wrong if number % WRONG_SHARE == 0 else right
        found.append(Asked(row["family"], row["q"], (first, right)))
    return found


def _rows(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    measured("labels")
