"""Recorded fixes of a model for the bugs of a file: a repair evaluation without the model.

JSON packed with gzip: {model, codes, asked: {bug: mark of its prompts}, samples: {bug: {way:
[[place of the code, tokens], ...]}}}. The first sample of a way is the one at temperature 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.tools import Case
from hammerstone.evaluation.data_files import read_json, reading
from hammerstone.evaluation.repair.bugs import Bug
from hammerstone.evaluation.repair.plain_fix import plain_messages
from hammerstone.learn.repair.author import fix_messages, rewrite_messages, usable
from hammerstone.learn.repair.complaint import Complaint

PLAIN_WAY = "plain"
FIX_WAY = "fix"
REWRITE_WAY = "rewrite"


@dataclass(frozen=True, slots=True)
class RecordedFix:
    """The code of a reply, and the tokens it took."""

    code: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FixRecording:
    """What a model replied to the prompts of every bug."""

    model: str
    asked: Mapping[str, str]
    fixes: Mapping[str, Mapping[str, Sequence[RecordedFix]]]

    def of(self, bug: Bug) -> Mapping[str, Sequence[RecordedFix]]:
        """The replies for one bug, by the way they were asked for."""
        if bug.id not in self.fixes:
            raise BadRequest(f"the recording has no samples for {bug.id}")
        if self.asked.get(bug.id) != prompts_mark(bug.complaint):
            raise BadRequest(
                f"the samples for {bug.id} were recorded for another bug or with other prompts",
                hint="sample them again: python -m evals.repair_prompts",
            )
        return self.fixes[bug.id]


def prompts_mark(complaint: Complaint) -> str:
    """A mark of everything that is asked about a bug, but for the calls that went well."""
    ways = (plain_messages(complaint), fix_messages(complaint), rewrite_messages(complaint))
    return digest(*(message.text for messages in ways for message in messages))[:12]


class RecordedFixAuthor:
    """Gives out the recorded fixes of one bug in their order, each once."""

    def __init__(self, fixes: Mapping[str, Sequence[RecordedFix]]) -> None:
        self._fixes = fixes
        self._given: dict[str, int] = {}
        self.tokens = 0

    async def fix(
        self, complaint: Complaint, *, samples: int, temperature: float, passed: Sequence[Case] = ()
    ) -> list[str]:
        return self._next(FIX_WAY, complaint, samples, temperature)

    async def rewrite(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        return self._next(REWRITE_WAY, complaint, samples, temperature)

    def _next(self, way: str, complaint: Complaint, samples: int, temperature: float) -> list[str]:
        """The first one at temperature 0, else the next ones after it."""
        every = self._fixes[way]
        start = max(1, self._given.get(way, 1)) if temperature else 0
        given = every[start : start + samples]
        if len(given) < samples:
            raise BadRequest(f"only {len(every)} samples of `{way}` are recorded")
        self._given[way] = start + samples
        self.tokens += sum(one.tokens for one in given)
        return usable([one.code for one in given], complaint)


def read_recording(path: Path) -> FixRecording:
    """The recording in a file; raises `BadRequest` where it is none."""
    with reading(path, "is no recording of fixes"):
        document: dict[str, Any] = read_json(path)
        codes: list[str] = document["codes"]
        asked: dict[str, str] = document["asked"]
        fixes = {
            bug: {way: [RecordedFix(codes[n], tokens) for n, tokens in kept] for way, kept in ways}
            for bug, ways in ((b, w.items()) for b, w in document["samples"].items())
        }
        return FixRecording(str(document["model"]), asked, fixes)
