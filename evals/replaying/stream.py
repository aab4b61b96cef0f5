"""The requests of the replay: always the same for a seed, in blocks of twenty with fixed shares."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from evals.replaying.chain_needs import CHAIN_NEEDS
from evals.replaying.family_needs import FAMILY_NEEDS
from evals.replaying.need import ReplayNeed, Values
from evals.replaying.starter_needs import STARTER_NEEDS

SEED = 23
REQUESTS, SESSIONS = 1000, 40
NEW_TO_MODEL = 250  # requests at most whose words no model has seen
RECENT = 200  # requests among which people repeat themselves
OF_STARTERS = frozenset(need.name for need in (*STARTER_NEEDS, *CHAIN_NEEDS))


class AskedFor(StrEnum):
    """Why a request is in the stream."""

    REPEAT = "exact repeat"
    PARAPHRASE = "paraphrase"
    NEW_VALUES = "new values"
    CHAIN = "chain"
    NEW_NEED = "new need"
    FAILURE = "injected failure"


BLOCK = (
    *[AskedFor.REPEAT] * 5, *[AskedFor.PARAPHRASE] * 5, *[AskedFor.NEW_VALUES] * 5,
    *[AskedFor.CHAIN] * 3, AskedFor.NEW_NEED, AskedFor.FAILURE,
)  # fmt: skip


@dataclass(frozen=True)
class ReplayRequest:
    """One request of the stream; `row` is what `is_right` judges by."""

    number: int
    session: str
    kind: AskedFor
    need: str
    text: str
    row: dict[str, Any]


@dataclass
class _Past:
    """What was asked so far."""

    values: dict[str, list[Values]] = field(default_factory=dict)  # by need
    wordings: dict[str, set[int]] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    known: list[ReplayNeed] = field(default_factory=list)  # families that were met


class Stream:
    """Draws the requests one after the other."""

    def __init__(self, data: Path, seed: int = SEED) -> None:
        self._rng = random.Random(seed)
        self._past = _Past()
        families = _rows(data / "families.jsonl")
        self._first = {row["family"]: row for row in reversed(families)}
        self._dev = _rows(data / "dev.jsonl")
        self._rng.shuffle(self._dev)
        self._asked: list[ReplayRequest] = []
        self._fresh_of_models = 0
        self._families = list(FAMILY_NEEDS)
        self._rng.shuffle(self._families)

    def draw(self, count: int = REQUESTS, sessions: int = SESSIONS) -> list[ReplayRequest]:
        kinds: list[AskedFor] = []
        while len(kinds) < count:
            block = list(BLOCK)
            self._rng.shuffle(block)
            if not kinds:  # nothing can be repeated before something was asked
                block.sort(key=lambda kind: kind in (AskedFor.REPEAT, AskedFor.FAILURE))
            kinds += block
        for number, kind in enumerate(kinds[:count]):
            session = f"session {number * sessions // count + 1:02}"
            need, text, row = self._one(kind)
            self._asked.append(ReplayRequest(number, session, kind, need, text, row))
            self._past.texts.add(text)
        return self._asked

    def _one(self, kind: AskedFor) -> tuple[str, str, dict[str, Any]]:
        if kind in (AskedFor.REPEAT, AskedFor.FAILURE):
            again = self._rng.choice(self._repeatable() or self._asked)
            return again.need, again.text, again.row
        if kind is AskedFor.NEW_NEED:
            return self._new_need()
        if kind is AskedFor.CHAIN:
            return self._fresh(self._rng.choice(CHAIN_NEEDS), paraphrase=self._rng.random() < 0.3)
        return self._fresh(self._known_need(), paraphrase=kind is AskedFor.PARAPHRASE)

    def _repeatable(self) -> list[ReplayRequest]:
        """What people ask again: recent requests that no starter tool answers."""
        return [one for one in self._asked[-RECENT:] if one.need not in OF_STARTERS]

    def _new_need(self) -> tuple[str, str, dict[str, Any]]:
        if self._families:
            need = self._families.pop()
            row = self._first[need.name]
            self._past.known.append(need)
            return need.name, row["q"], row
        row = self._dev.pop()
        return row["id"], row["q"], row

    def _known_need(self) -> ReplayNeed:
        """A need that a model has to solve at first, or one of the starter tools."""
        new_needs = REQUESTS // len(BLOCK)
        share = (NEW_TO_MODEL - new_needs) / (REQUESTS * 10 / len(BLOCK))
        left = NEW_TO_MODEL - new_needs - self._fresh_of_models
        if self._past.known and left > 0 and self._rng.random() < share:
            self._fresh_of_models += 1
            return self._rng.choice(self._past.known)
        return self._rng.choice(STARTER_NEEDS)

    def _fresh(self, need: ReplayNeed, *, paraphrase: bool) -> tuple[str, str, dict[str, Any]]:
        """Words that nobody has used: other words for old values, or old words for new ones."""
        past = self._past
        seen, used = past.values.setdefault(need.name, []), past.wordings.setdefault(need.name, {0})
        if paraphrase:
            choices = [
                (values, wording)
                for values in seen
                for wording in range(len(need.wordings))
                if need.text(values, wording) not in past.texts
            ]
            if choices:
                values, wording = self._rng.choice(choices)
                used.add(wording)
                return need.name, need.text(values, wording), need.row(values)
        while True:
            values = need.draw(self._rng)
            unused = [at for at in range(len(need.wordings)) if at not in used]
            wording = self._rng.choice(unused if paraphrase and unused else sorted(used))
            text = need.text(values, wording)
            if text not in past.texts:
                seen.append(values)
                used.add(wording)
                return need.name, text, need.row(values)


def of_models(requests: Sequence[ReplayRequest]) -> list[str]:
    """The words of those requests that a starter tool cannot answer, each once."""
    return list(dict.fromkeys(one.text for one in requests if one.need not in OF_STARTERS))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
