"""Where the fixes of a repair evaluation come from: a model, a recording of one, or edits alone."""

from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.calls import Call
from hammerstone.core.chat import Prompt
from hammerstone.core.seams import Model
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.bank.live_eval import CountingModel
from hammerstone.evaluation.repair.bugs import Bug
from hammerstone.evaluation.repair.plain_fix import MAX_TOKENS, plain_messages
from hammerstone.evaluation.repair.recorded_fixes import PLAIN_WAY, FixRecording, RecordedFixAuthor
from hammerstone.learn.repair.author import FixAuthor, FixWriter, usable
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.synthesis.replies import code_in


class FixSource(Protocol):
    """Who writes the fixes of a bug, and the one fix of the plain prompt."""

    @property
    def name(self) -> str: ...

    async def plain(self, bug: Bug) -> str:
        """The program that the plain prompt gives; empty for none."""
        ...

    def author(self, bug: Bug) -> FixWriter | None: ...

    def spent(self) -> int:
        """The tokens of the last author."""
        ...


@dataclass(slots=True)
class LiveFixes:
    """Fixes by a model that is asked now."""

    model: Model
    _counting: CountingModel | None = None

    @property
    def name(self) -> str:
        return self.model.name

    async def plain(self, bug: Bug) -> str:
        messages = plain_messages(bug.complaint)
        reply = await self.model.complete(Prompt(messages, max_tokens=MAX_TOKENS, purpose="plain"))
        return _plain_program(code_in(reply.text), bug.complaint)

    def author(self, bug: Bug) -> FixWriter | None:
        self._counting = CountingModel(self.model)
        return FixAuthor(self._counting)

    def spent(self) -> int:
        return self._counting.usage.tokens if self._counting else 0


@dataclass(slots=True)
class RecordedFixes:
    """Fixes out of a recording; their tokens are those of the replies alone."""

    recording: FixRecording
    _author: RecordedFixAuthor | None = None

    @property
    def name(self) -> str:
        return f"{self.recording.model}, recorded"

    async def plain(self, bug: Bug) -> str:
        return _plain_program(self.recording.of(bug)[PLAIN_WAY][0].code, bug.complaint)

    def author(self, bug: Bug) -> FixWriter | None:
        self._author = RecordedFixAuthor(self.recording.of(bug))
        return self._author

    def spent(self) -> int:
        return self._author.tokens if self._author else 0


class NoFixes:
    """No model: edits alone, and no plain prompt to compare with."""

    name = "none: edits only"

    async def plain(self, bug: Bug) -> str:
        return ""

    def author(self, bug: Bug) -> FixWriter | None:
        return None

    def spent(self) -> int:
        return 0


def _plain_program(code: str, complaint: Complaint) -> str:
    """The reply with the imports and helpers of the faulty program, as the repairer has them."""
    plain = Complaint(complaint.function, complaint.code, "", Case(CaseKind.PROPERTY, Call()))
    return next(iter(usable([code], plain)), "")
