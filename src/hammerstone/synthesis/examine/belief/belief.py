"""Joint belief over behaviours and cases, from who says what.

What a person said decides outright: a candidate that contradicts it is out. The rest is
weighed: each drawn candidate is one vote for its behaviour, each test author one voice per
input. Voices count only on inputs where behaviours differ, and their sum is divided by the root
of the number of such inputs, because authors of one model repeat each other's mistakes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hammerstone.synthesis.examine.belief.behaviours import BehaviourGroup, Cells, group

SAID_ENOUGH = 3  # cases beside the person's examples that make an author worth evidence
RIVALS = 0.1  # of the candidates that meet the examples: more than this take another reading
BACKED = 0.25  # unless the test authors side with the leader by so much where they differ
SECONDED = 0.34  # share of the authors that agree with a program which is more than one witness
VOICE_WEIGHT = 0.5  # of the authors' agreement against the log of the votes; see the design page

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LabelClaim:
    """The labels that somebody accepts in a column; with `denied`, all but these."""

    column: int
    accepted: frozenset[int]
    author: int = -1  # which suite; -1 for a person
    denied: bool = False

    def allows(self, label: int) -> bool:
        return (label in self.accepted) is not self.denied


@dataclass(frozen=True, slots=True)
class QuestionTally:
    """How many questions the person answered in which way."""

    upheld: int = 0  # what the leader or the example said was right
    flipped: int = 0  # the other result was
    refused: int = 0  # neither

    @property
    def total(self) -> int:
        return self.upheld + self.flipped + self.refused


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What a model said about the results in one column: the share of its samples per label."""

    column: int
    shares: Mapping[int, float]
    weight: float  # log odds of a unanimous vote

    def lean(self, label: int) -> float:
        """How far the vote leans to a result: 1 all for it, -1 all for another one."""
        others = [share for other, share in self.shares.items() if other != label]
        return self.shares.get(label, 0.0) - max(others, default=0.0)


@dataclass(frozen=True, slots=True)
class ExaminationEvidence:
    """All that is known: what each draw returned, what the person and the authors said."""

    cells: Cells  # one row a draw
    truth: Sequence[LabelClaim] = ()
    claims: Sequence[LabelClaim] = ()
    adjudged: Sequence[Adjudication] = ()
    answered: QuestionTally = QuestionTally()
    raising: frozenset[int] = frozenset()
    covering: bool = True
    programs: Sequence[str] = ()  # the form of each draw's program; empty: all differ


@dataclass(frozen=True, slots=True)
class WeighedBehaviour:
    """One behaviour with its part of the belief among the behaviours that were seen."""

    group: BehaviourGroup
    support: float  # share of the authors' claims that agree
    weight: float  # sums to 1 over the behaviours


@dataclass(frozen=True, slots=True)
class Belief:
    drawn: int
    survivors: tuple[int, ...]  # draws that no truth contradicts
    ranking: tuple[WeighedBehaviour, ...]  # most believed first
    features: Mapping[str, float]
    unmet: tuple[LabelClaim, ...]  # truth that no candidate meets


def weigh(evidence: ExaminationEvidence) -> Belief:
    """Who is believed, after everything that was said."""
    cells = evidence.cells
    drawn = len(cells)
    alive = [draw for draw in range(drawn) if (cells[draw] >= 0).any()]
    survivors = [draw for draw in alive if _meets(cells[draw], evidence.truth)]
    unmet = tuple(
        claim
        for claim in evidence.truth
        if not any(claim.allows(int(cells[draw, claim.column])) for draw in alive)
    )
    if not survivors:
        return Belief(drawn, (), (), {}, unmet)
    groups = group(cells[survivors], evidence.raising, covering=evidence.covering)
    voices = _voices(evidence)
    agreement: Shares = np.array(
        [[_share(voices[c], int(g.labels[c])) for c in voices] for g in groups]
    ).reshape(len(groups), len(voices))
    differing = [
        place
        for place, column in enumerate(voices)
        if len({int(g.labels[column]) for g in groups}) > 1
    ]
    contested = agreement[:, differing].sum(axis=1) / math.sqrt(max(1, len(differing)))
    adjudged = np.array([_adjudged(evidence, g.labels) for g in groups])
    scores = np.log([g.votes for g in groups]) + VOICE_WEIGHT * contested + adjudged
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    supports = (agreement.sum(axis=1) + 1) / (len(voices) + 2)
    order = [int(n) for n in np.argsort(-weights, kind="stable")]
    ranking = tuple(
        WeighedBehaviour(_renumbered(groups[n], survivors), float(supports[n]), float(weights[n]))
        for n in order
    )
    features = _features(evidence, ranking, len(survivors), [float(contested[n]) for n in order])
    features |= {
        "claimed": float(len(voices)),
        "agreed": float(agreement[order[0]].sum()),
        "adjudged": float(adjudged[order[0]]),
    }
    features |= _authors(evidence, ranking[0].group.labels)
    features["one_program"] = float(_is_one_program(evidence, ranking[0], features["content"]))
    return Belief(drawn, tuple(survivors), ranking, features, unmet)


def _meets(row: Cells, truth: Sequence[LabelClaim]) -> bool:
    return all(claim.allows(int(row[claim.column])) for claim in truth)


def _voices(evidence: ExaminationEvidence) -> dict[int, list[LabelClaim]]:
    """What the authors said, by column, without the columns the person has decided."""
    decided = {claim.column for claim in evidence.truth}
    voices: dict[int, list[LabelClaim]] = {}
    for claim in evidence.claims:
        if claim.column not in decided:
            voices.setdefault(claim.column, []).append(claim)
    return voices


def _share(claims: Sequence[LabelClaim], label: int) -> float:
    return sum(claim.allows(label) for claim in claims) / len(claims)


def _adjudged(evidence: ExaminationEvidence, labels: Cells) -> float:
    return sum(one.weight * one.lean(int(labels[one.column])) for one in evidence.adjudged)


def _authors(evidence: ExaminationEvidence, labels: Cells) -> dict[str, float]:
    """How many test authors there are, and with which share a behaviour agrees in everything.

    One whole suite is stronger evidence than as many cases of different authors: right cases
    come together, because an author that understood the spec gets most of them right. Who says
    the same as another is no second witness, and where all of them only repeat the person's
    examples nobody has said anything.
    """
    decided = {claim.column for claim in evidence.truth}
    said: dict[int, set[LabelClaim]] = {}
    for claim in evidence.claims:
        said.setdefault(claim.author, set()).add(replace(claim, author=-1))
    different = {frozenset(claims) for claims in said.values()}
    own = [sum(claim.column not in decided for claim in claims) for claims in different]
    if decided and max(own, default=0) < SAID_ENOUGH:
        return {"authors": 0.0, "content": 0.0}
    content = [all(c.allows(int(labels[c.column])) for c in claims) for claims in different]
    return {"authors": float(len(content)), "content": sum(content) / max(1, len(content))}


def _renumbered(one: BehaviourGroup, survivors: Sequence[int]) -> BehaviourGroup:
    """The group with its members counted over all draws, not over the survivors."""
    return BehaviourGroup(
        labels=one.labels,
        exact=tuple(survivors[draw] for draw in one.exact),
        covered=tuple(survivors[draw] for draw in one.covered),
        votes=one.votes,
    )


def _is_one_program(
    evidence: ExaminationEvidence, leader: WeighedBehaviour, content: float
) -> bool:
    """Whether the leader is one program drawn again and again, with few test authors beside it.

    Copies of a program are one witness. A person who chose its result is another one.
    """
    if not evidence.programs or content >= SECONDED or evidence.answered.flipped:
        return False
    return len({evidence.programs[draw] for draw in leader.group.covered}) < 2


def _features(
    evidence: ExaminationEvidence,
    ranking: Sequence[WeighedBehaviour],
    survivors: int,
    contested: Sequence[float],
) -> dict[str, float]:
    votes = ranking[0].group.votes
    answered = evidence.answered
    examples = max(0, len(evidence.truth) - answered.total)
    lead = float(contested[0] - (max(contested[1:]) if len(contested) > 1 else 0.0))
    return {
        **counted(float(len(evidence.cells)), float(survivors), votes, lead),
        "contested": lead,
        "support": ranking[0].support,
        "examples": float(examples),
        "told": float(examples > 0),
        "several": float(examples > 1),
        "upheld": float(answered.upheld),
        "flipped": float(answered.flipped),
    }


def counted(drawn: float, survivors: float, votes: float, contested: float) -> dict[str, float]:
    """The features that follow from counts; also used to look ahead.

    A second reading is open where candidates that no truth contradicts behave differently and
    the test authors do not say which of them is meant.
    """
    divided = survivors - votes > RIVALS * survivors
    return {
        "drawn": drawn,
        "survivors": survivors,
        "votes": votes,
        "share": math.log((votes + 0.5) / (drawn - votes + 0.5)),
        "size": math.log(drawn),
        "second_reading": float(divided and contested < BACKED),
    }
