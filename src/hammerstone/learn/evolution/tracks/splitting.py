"""A suite's cases parted for search, choice and proof; cases that cannot be used are named."""

from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.hashing import canonical, digest
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy
from hammerstone.learn.evolution.tracks.track import TrackCase


@dataclass(frozen=True, slots=True)
class SuiteSplit:
    """`hidden` cases are never handed to a track. `problems` are sentences for a person; with
    `refusal` nothing can be proved on this suite, and its cases can only be judged."""

    train: tuple[TrackCase, ...] = ()
    validation: tuple[TrackCase, ...] = ()
    hidden: tuple[TrackCase, ...] = ()
    problems: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def shown(self) -> tuple[TrackCase, ...]:
        return (*self.train, *self.validation)


def split_suite(cases: Sequence[TrackCase], policy: EvolutionPolicy, seed: int = 22) -> SuiteSplit:
    """Cases that ask the same stand on the same side; which side, their words and a seed say."""
    usable, problems = without_contradictions(cases)
    groups: dict[str, list[TrackCase]] = {}
    for case in usable:
        groups.setdefault(asked_by(case), []).append(case)
    if len(groups) < policy.least_cases:
        refusal = (
            f"{len(groups)} different cases are too few to prove anything: "
            f"{policy.least_cases} are needed"
        )
        return SuiteSplit(train=tuple(usable), problems=tuple(problems), refusal=refusal)
    order = sorted(groups, key=lambda key: digest(str(seed), key))
    first = max(1, round(len(order) * policy.train_share))
    second = first + max(1, round(len(order) * policy.validation_share))
    parts = (order[:first], order[first:second], order[second:])
    train, validation, hidden = (
        tuple(case for key in part for case in groups[key]) for part in parts
    )
    if not hidden:
        return SuiteSplit(problems=tuple(problems), refusal="no case is left to prove anything on")
    return SuiteSplit(train, validation, hidden, tuple(problems))


def asked_by(case: TrackCase) -> str:
    """The same for two cases that ask the same, whatever they want."""
    words = " ".join(case.request.casefold().split())
    arguments = dict(case.arguments) if case.arguments is not None else None
    return digest(words, canonical(arguments), *(str(file) for file in case.files))


def without_contradictions(
    cases: Sequence[TrackCase],
) -> tuple[list[TrackCase], list[str]]:
    """The cases without those that ask the same and want something else; of these a sentence."""
    wanted: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        wanted.setdefault(asked_by(case), {}).setdefault(canonical(case.expect), []).append(case.id)
    bad: set[str] = set()
    problems: list[str] = []
    for answers in wanted.values():
        if len(answers) > 1:
            ids = [id for each in answers.values() for id in each]
            bad.update(ids)
            problems.append(f"{', '.join(ids)} ask the same and want different answers: left out")
    return [case for case in cases if case.id not in bad], problems
