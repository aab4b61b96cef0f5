"""The numbers that decide how much evidence is drawn and when it is enough.

Each part is what one step goes by; the whole is one stored policy with the fields of all.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class VerdictMarks:
    """The confidence that makes a verdict."""

    verified_at: float = 0.76  # together with what `sureness` asks for besides
    verified_at_untold: float = 0.96  # where a person has said nothing about any result
    verified_at_answered: float = 0.90  # after a person chose a result; more draws are made then
    verified_at_answer_alone: float = 0.92  # where that answer is all a person said
    rejected_below: float = 0.05


@dataclass(frozen=True)
class DrawLimits:
    """How many candidates and suites are drawn."""

    first_candidates: int = 5
    first_suites: int = 2
    more_candidates: int = 2
    max_candidates: int = 16
    max_candidates_answered: int = 16  # after a question: each draw says more
    max_candidates_unmet: int = 8  # while no candidate meets the examples
    enough_votes: int = 3  # for the leader, up to `max_for_votes` candidates
    max_for_votes: int = 10
    max_suites: int = 4
    hopeless: float = 0.05  # chance under which draws that could settle it are not made


@dataclass(frozen=True)
class Agreement:
    """How many have to agree, beside the confidence."""

    min_candidates: int = 2  # one alone is never enough
    few_examples: int = 1  # so many say little about a vague text
    min_candidates_few: int = 10  # with so few, where hardly a test author agrees
    rivals: float = 0.1  # of the candidates that meet the examples, part that may differ
    backed: float = 0.25  # unless test authors side with the leader by so much where they differ
    min_votes: int = 3  # candidates that agree: the only one left of many is no majority
    min_candidates_untold: int = 12
    seconded: float = 0.34  # share of the test authors that one program, however often, needs
    min_votes_answered: int = 3  # one more where no test author agrees
    min_voices_untold: int = 2  # test authors who stated something
    min_support_untold: float = 0.35  # of the authors' claims that have to agree
    equal_weight: float = 0.25  # a rival believed this much is no verdict even without a question


@dataclass(frozen=True)
class DisagreementPolicy:
    """When a disagreement is put to a person, a test author or the model."""

    max_questions: int = 1
    ask_below: float = 0.95  # sure enough, but worth a question where one may be asked
    rival_weight: float = 0.1  # a rival believed this much is a question, not a verdict
    contested_weight: float = 0.2  # a rival believed this much is worth another test author
    max_adjudications: int = 1  # disagreements put to the model before the person is asked
    adjudicator_reliability: float = 0.6  # how often a unanimous vote of the model is right


@dataclass(frozen=True)
class SuitePolicy:
    """What is done with the winner and its suite."""

    repeated_calls: int = 12  # calls that the winner has to answer alike in other surroundings
    freeze: bool = True  # off: only the verdict, without suite and mutation score
    strengthen: bool = True  # off: the suite is frozen as the authors left it


@dataclass(frozen=True)
class ExaminePolicy(SuitePolicy, DisagreementPolicy, Agreement, DrawLimits, VerdictMarks):
    """Defaults of the policy for building tools; the design page says how they were chosen."""

    name: ClassVar[str] = "synthesis"


DEFAULT = ExaminePolicy()
