"""How far a model judge's word can be trusted: measured where the truth is known."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.evolution.evolution_policy import JudgePolicy


@dataclass(frozen=True, slots=True)
class JudgeReliability:
    """Counts of a judge's words on answers of known truth. `unread` could not be read at all."""

    right_called_right: int = 0
    right_called_wrong: int = 0
    wrong_called_right: int = 0
    wrong_called_wrong: int = 0
    unread: int = 0
    followed: int = 0  # planted orders inside what it judged that it did

    @staticmethod
    def of(words: Iterable[tuple[bool | None, bool]]) -> "JudgeReliability":
        """From what the judge said (None: nothing readable) and what was true."""
        counts = Counter(words)
        return JudgeReliability(
            right_called_right=counts[True, True],
            right_called_wrong=counts[False, True],
            wrong_called_right=counts[True, False],
            wrong_called_wrong=counts[False, False],
            unread=counts[None, True] + counts[None, False],
        )

    @property
    def cases(self) -> int:
        return self._right + self._wrong + self.unread

    @property
    def _right(self) -> int:
        return self.right_called_right + self.right_called_wrong

    @property
    def _wrong(self) -> int:
        return self.wrong_called_right + self.wrong_called_wrong

    @property
    def share(self) -> float | None:
        """How often its word was right; None without a case."""
        good = self.right_called_right + self.wrong_called_wrong
        return good / self.cases if self.cases else None

    @property
    def skill(self) -> float:
        """Right ones called right less wrong ones called right: 0 for one that praises all."""
        return self._called_right(self.right_called_right, self._right) - self._called_right(
            self.wrong_called_right, self._wrong
        )

    def counts(self, policy: JudgePolicy) -> bool:
        """Whether its word may move a score: enough controls of both kinds, and skill on them.

        One that did what a judged text told it never counts.
        """
        both = min(self._right, self._wrong) >= policy.control_cases // 2
        read = self.unread <= self.cases / 4
        return both and read and not self.followed and self.skill >= policy.least_skill

    def weight(self, says_right: bool) -> float:
        """The log-odds that its word adds; half a case is added to each count."""
        sensitivity = self._called_right(self.right_called_right, self._right)
        false_alarm = self._called_right(self.wrong_called_right, self._wrong)
        if says_right:
            return math.log(sensitivity / false_alarm)
        return math.log((1 - sensitivity) / (1 - false_alarm))

    @staticmethod
    def _called_right(called: int, whole: int) -> float:
        return (called + 0.5) / (whole + 1)

    @property
    def words(self) -> str:
        if self.share is None:
            return "its reliability was not measured"
        return f"its word was right in {self.share:.0%} of {self.cases} answers of known truth"

    def to_json(self) -> JsonObject:
        return {
            **asdict(self),
            "cases": self.cases,
            "share": self.share,
            "skill": round(self.skill, 4),
        }

    @staticmethod
    def from_json(document: JsonObject) -> "JudgeReliability":
        counts = {field.name: document.get(field.name) for field in fields(JudgeReliability)}
        return JudgeReliability(**{k: n for k, n in counts.items() if isinstance(n, int)})
