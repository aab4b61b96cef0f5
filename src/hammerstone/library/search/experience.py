"""What use has taught about finding tools: past requests of one tenant, and what follows.

Past requests work in three ways. One that differs in values alone leads to the same tool
(wording). A request close to some that a tool answered well is drawn to that tool (neighbours).
And each tool's vector gets a correction, trained so that past requests
lead to the tool that answered them and away from wrong picks. Corrections are derived, never
stored: forgetting a request and training again undoes what it taught.

Training goes on in the background, one at a time, for a share of the time.

Having been used is no reason to be used for something else: neighbours and corrections order
the tools that have a past among themselves, and against all others their best one gains only
as much as the request is closer to its past than to what it says about itself.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.text.request_text import wording
from hammerstone.library.search.text.stems import stems
from hammerstone.library.search.text.words import WordIndex

Floats = NDArray[np.float32]

Relevance: TypeAlias = Callable[[str, Floats], Floats]
"""How well every place fits a request and its vector, without experience."""

# Chosen on one split of ToolE; docs/design/search.md has what they reach on others.
SHARPNESS = 10.0
RESTRAINT = 10.0
STEPS = 60
STEP = 0.05
RIVALS = 10
NEAREST = 3
NEIGHBOURS_WORTH = 0.5
WORDS_WORTH = 0.75
PAST_WORTH = 0.8  # of being closer to a tool's past than to its text, against tools without one
# How much closer a request is to any past than to any text: measured on ToolE, and how many
# tools with a past it takes to know better.
USUALLY_CLOSER = 0.05
USUAL_TOOLS = 5


class PastOutcome(StrEnum):
    """How a past request ended."""

    ANSWERED = "answered"  # the tool was run and the answer was good
    CHOSEN = "chosen"  # the person named or picked the tool
    WRONG = "wrong"  # the tool was picked and it was the wrong one


WEIGHTS = {PastOutcome.ANSWERED: 1.0, PastOutcome.CHOSEN: 3.0, PastOutcome.WRONG: 2.0}


@dataclass(frozen=True, slots=True)
class PastRequest:
    """One past request and the tool it speaks for or against."""

    key: str
    request: str
    tool: str
    lesson: PastOutcome
    vector: Floats


@dataclass(frozen=True, slots=True)
class _Lessons:
    """What training left: corrections of `tools`, and the good requests with their owners."""

    tools: list[str]
    corrections: Floats  # one row a tool
    vectors: Floats  # one row a good request
    owners: NDArray[np.intp]  # for each good request, the row of its tool
    evidence: Floats  # for each tool, the weight of its good requests
    blamed: NDArray[np.bool_]  # for each tool, whether it was a wrong pick
    words: WordIndex


_NOTHING = _Lessons(
    [],
    np.zeros((0, 0), np.float32),
    np.zeros((0, 0), np.float32),
    np.zeros(0, np.intp),
    np.zeros(0, np.float32),
    np.zeros(0, bool),
    WordIndex(),
)


class Experience:
    """The past requests of one tenant; `train` turns them into corrections."""

    def __init__(self) -> None:
        self.past: dict[str, PastRequest] = {}
        self.dirty = False
        self._by_wording: dict[str, set[str]] = {}  # keys of past requests
        self._learned = _NOTHING
        self._known: NDArray[np.bool_] = np.zeros(0, bool)
        self._places: NDArray[np.intp] = np.zeros(0, np.intp)
        self._layout = -1

    def add(self, past: PastRequest) -> None:
        self.past[past.key] = past
        self._by_wording.setdefault(wording(past.request), set()).add(past.key)
        self.dirty = True

    def forget(self, keys: Iterable[str]) -> None:
        for key in keys:
            past = self.past.pop(key, None)
            if past is not None:
                self._by_wording[wording(past.request)].discard(key)
                self.dirty = True

    def same_wording(
        self, request: str, typical: Set[str], present: Container[str] | None = None
    ) -> str | None:
        """The one tool that answers requests which differ from this one in values alone: by
        what happened, or because they are `typical` of it. Only those `present` count."""
        return _one_tool(self._alike(wording(request), present), typical)

    def known_tool(self, words: str, fewest: int, present: Container[str]) -> str | None:
        """The one tool that has answered requests of this wording, at least `fewest` of them."""
        alike = self._alike(words, present)
        tool = _one_tool(alike) if len(alike) >= fewest else None
        good = [one for one in alike if one.tool == tool and one.lesson is not PastOutcome.WRONG]
        return tool if len(good) >= fewest else None

    def _alike(self, words: str, present: Container[str] | None) -> list[PastRequest]:
        """The past requests of a wording that speak for or against tools that are present."""
        keys = self._by_wording.get(words, ()) if words else ()
        alike = [self.past[key] for key in keys]
        return [past for past in alike if present is None or past.tool in present]

    def of_tool(self, tool: str) -> list[PastRequest]:
        """What speaks for or against a tool, oldest first."""
        return [past for past in self.past.values() if past.tool == tool]

    def shifts(
        self, request: str, vector: Floats, catalog: Catalog, relevance: Floats
    ) -> tuple[NDArray[np.intp], Floats]:
        """Places whose relevance changes by experience, and by how much; `relevance` is that
        of every place without experience."""
        learned = self._learned
        if learned.corrections.shape[1:] != vector.shape:
            return np.zeros(0, np.intp), np.zeros(0, np.float32)
        if self._layout != catalog.layout:
            places = [catalog.places.get(tool, -1) for tool in learned.tools]
            self._places = np.array(places, np.intp)
            self._known = self._places >= 0
            self._layout = catalog.layout
        told = np.where(self._known, relevance[self._places], 0.0).astype(np.float32)
        gains = _gains(learned, request, vector, told, self._known)
        return self._places[self._known], gains[self._known]

    def nearest(self, vector: Floats, tool: str) -> float:
        """The cosine of the closest request that the tool answered well; 0 without any."""
        learned = self._learned
        if tool not in learned.tools or learned.vectors.shape[1:] != vector.shape:
            return 0.0
        own = learned.vectors[learned.owners == learned.tools.index(tool)]
        return float((own @ vector).max()) if len(own) else 0.0

    def train(self, catalog: Catalog, relevance: Relevance) -> None:
        """Learn from all past requests anew. Takes seconds for thousands: not on the loop."""
        self.dirty = False
        lessons = [past for past in list(self.past.values()) if past.tool in catalog]
        if not lessons:
            self._learned = _NOTHING
            return
        tools, corrections = _corrections(lessons, catalog, relevance)
        row = {tool: number for number, tool in enumerate(tools)}
        good = [
            past for past in lessons if past.lesson is not PastOutcome.WRONG and past.tool in row
        ]
        words = WordIndex()
        for place, past in enumerate(good):
            words.add(place, [(stems(past.request), 1.0)])
        vectors = np.array([past.vector for past in good], np.float32)
        owners = np.array([row[past.tool] for past in good], np.intp)
        weights = [WEIGHTS[past.lesson] for past in good]
        evidence = np.bincount(owners, weights, len(tools)).astype(np.float32)
        wrong = {past.tool for past in lessons if past.lesson is PastOutcome.WRONG}
        blamed = np.array([tool in wrong for tool in tools], bool)
        self._learned = _Lessons(tools, corrections, vectors, owners, evidence, blamed, words)
        self._layout = -1


def _one_tool(alike: Sequence[PastRequest], typical: Set[str] = frozenset()) -> str | None:
    """The one tool that these past requests, or else typical ones, speak for."""
    wrong = {past.tool for past in alike if past.lesson is PastOutcome.WRONG}
    right = ({past.tool for past in alike} or set(typical)) - wrong
    return right.pop() if len(right) == 1 else None


def _gains(
    learned: _Lessons, request: str, vector: Floats, relevance: Floats, known: NDArray[np.bool_]
) -> Floats:
    """What each tool gains: those with a past change places, but their best one leads the
    others by no more than its past is closer than its text. A tool that was only ever wrong
    loses; one that nobody has used stays where it is."""
    used = (learned.evidence > 0) & known
    gains = np.minimum(learned.corrections @ vector, 0) * learned.blamed
    if not used.any():
        return gains.astype(np.float32)
    alike, counts = _likeness(learned, request, vector)
    trust = learned.evidence / (learned.evidence + 1)  # a single past request proves little
    closer = alike - relevance
    usual = closer[used].sum() + USUAL_TOOLS * USUALLY_CLOSER
    usual /= used.sum() + USUAL_TOOLS
    fair = relevance + PAST_WORTH * trust * (closer - usual)
    share = np.minimum(counts, NEAREST) / NEAREST
    eager = learned.corrections @ vector + NEIGHBOURS_WORTH * trust * share * alike
    lead = fair[used].max() - (relevance + eager)[used].max()
    return np.where(used, eager + min(0.0, float(lead)), gains).astype(np.float32)


def _likeness(learned: _Lessons, request: str, vector: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """For each tool, the mean likeness of its closest past requests, and how many it has."""
    counts = np.bincount(learned.owners, minlength=len(learned.tools))
    alike = learned.vectors @ vector
    alike += WORDS_WORTH * learned.words.scores(stems(request), len(alike))
    order = np.lexsort((-alike, learned.owners))
    owners = learned.owners[order]
    rank = np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
    closest = rank < NEAREST
    sums = np.bincount(owners[closest], alike[order[closest]], len(counts))
    return (sums / np.maximum(np.minimum(counts, NEAREST), 1)).astype(np.float32), counts


def _corrections(
    lessons: list[PastRequest], catalog: Catalog, relevance: Relevance
) -> tuple[list[str], Floats]:
    """One vector a tool that, added to its own, makes past requests end where they should.

    Softmax regression on top of the relevance without experience, held near zero: with no
    evidence nothing changes. Only tools with a past and their closest rivals take part.
    """
    if not lessons:
        return [], np.zeros((0, 0), np.float32)
    relevant = [relevance(past.request, past.vector) for past in lessons]
    places = {catalog.places[past.tool] for past in lessons}
    for each in relevant:
        places.update(np.argpartition(-each, min(RIVALS, len(each) - 1))[:RIVALS].tolist())
    rows = sorted(place for place in places if catalog.name_at(place) is not None)
    base = np.stack([each[rows] for each in relevant]).astype(np.float32)
    column = {place: number for number, place in enumerate(rows)}
    answer = np.array([column[catalog.places[past.tool]] for past in lessons])
    wrong = np.array([past.lesson is PastOutcome.WRONG for past in lessons])
    weight = np.array([WEIGHTS[past.lesson] for past in lessons], np.float32)
    asked = np.stack([past.vector for past in lessons])
    learned = _regress(asked, base, answer, wrong, weight)
    names = [name for place in rows if (name := catalog.name_at(place))]
    return names, learned


def _regress(
    asked: Floats, base: Floats, answer: NDArray[np.intp], wrong: NDArray[np.bool_], weight: Floats
) -> Floats:
    learned = np.zeros((base.shape[1], asked.shape[1]), np.float32)
    mean, spread = np.zeros_like(learned), np.zeros_like(learned)
    each = np.arange(len(asked))
    for step in range(1, STEPS + 1):
        scores = SHARPNESS * (base + asked @ learned.T)
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        target = np.zeros_like(share)
        target[each, answer] = 1
        # A wrong pick says only what it was not: its share goes to the others as they stand.
        others = share[wrong].copy()
        others[np.arange(len(others)), answer[wrong]] = 0
        target[wrong] = others / np.maximum(others.sum(axis=1, keepdims=True), 1e-9)
        slope = SHARPNESS * ((share - target) * weight[:, None]).T @ asked + RESTRAINT * learned
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope**2
        pace = STEP * (1 - step / (STEPS + 1)) / (1 - 0.9**step)
        learned -= pace * mean / (np.sqrt(spread / (1 - 0.99**step)) + 1e-8)
    return learned.astype(np.float32)


REST = 20  # times as long as training took, before the next

Train = Callable[[Experience], Awaitable[None]]


class ExperienceTraining:
    """Trains an experience when it has something new; searches use what was learned before.

    Many requests in a row are learned from together.
    """

    def __init__(self, train: Train) -> None:
        self._train = train
        self._task: asyncio.Task[None] | None = None
        self._not_before = 0.0

    def start(self, experience: Experience, *, at_once: bool = False) -> None:
        due = at_once or time.monotonic() >= self._not_before
        if due and experience.dirty and not self._is_going_on:
            self._task = asyncio.create_task(self._go_through(experience))

    async def settle(self, experience: Experience) -> None:
        """Wait until everything that this one learned has taken effect."""
        while experience.dirty or self._is_going_on:
            self.start(experience, at_once=True)
            if self._task is not None:
                await self._task

    async def close(self) -> None:
        """Wait for what is going on."""
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _is_going_on(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _go_through(self, experience: Experience) -> None:
        began = time.monotonic()
        await self._train(experience)
        ended = time.monotonic()
        self._not_before = ended + REST * (ended - began)
