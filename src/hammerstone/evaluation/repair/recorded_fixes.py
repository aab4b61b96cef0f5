"""Recorded fixes of a model for the bugs of a file: a repair evaluation without the model.

JSON packed with gzip: {model, prompts: {name: version}, codes, samples: {bug: {way: [[place of
the code, tokens], ...]}}}. The first sample of a way is the one at temperature 0.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Case
from hammerstone.learn.repair.author import usable
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.prompts import load

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
    fixes: Mapping[str, Mapping[str, Sequence[RecordedFix]]]

    def of(self, bug: str) -> Mapping[str, Sequence[RecordedFix]]:
        """The replies for one bug, by the way they were asked for."""
        if bug not in self.fixes:
            raise BadRequest(f"the recording has no samples for {bug}")
        return self.fixes[bug]


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
    """The recording in a file; raises `BadRequest` where it is none or of other prompts."""
    try:
        document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        versions: dict[str, int] = document["prompts"]
        codes: list[str] = document["codes"]
        fixes = {
            bug: {way: [RecordedFix(codes[n], tokens) for n, tokens in kept] for way, kept in ways}
            for bug, ways in ((b, w.items()) for b, w in document["samples"].items())
        }
        recording = FixRecording(str(document["model"]), fixes)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError) as e:
        raise BadRequest(f"{path} is no recording of fixes: {type(e).__name__}: {e}") from None
    for name, version in versions.items():
        if load(name).version != version:
            raise BadRequest(
                f"{path} was recorded with version {version} of the prompt `{name}`",
                hint="sample it again: python -m evals.repair_prompts",
            )
    return recording
