"""The numbers that decide what a skill may be and do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class SkillSizes:
    """The sizes of what is imported."""

    max_file_bytes: int = 2 << 20
    max_total_bytes: int = 10 << 20
    max_files: int = 300
    max_body_chars: int = 100_000
    idle_chars: int = (
        360  # of a description while the skill is idle: about 100 tokens with the name
    )


@dataclass(frozen=True, slots=True)
class SkillPolicy(SkillSizes):
    """The sizes of skills, and bounds of what one may start and show."""

    name: ClassVar[str] = "skills"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"level": (1, 5), "fit": (0, 1)}
    max_depth: int = 5  # skills that call skills
    max_steps: int = 60  # calls in one run, those of called skills included
    max_items: int = 50  # parts of an input in one fan-out
    parallel: int = 4
    seconds: float = 300.0
    level: int = 4  # the maturity that no skill works above, whatever it says of itself
    fit: float = 0.8  # how likely a skill has to be the right one before `ask` uses it
    body_chars: int = 12_000  # of a skill's text that a model is shown at once
    reference_chars: int = 6_000  # of the references that its text and the request lead to
    references: int = 3  # passages of them
    reference_meaning: float = 0.2  # how near in meaning a passage has to be to be shown
