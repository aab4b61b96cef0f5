"""One function under examination: candidates and suites come in, a belief comes out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hammerstone.core.calls import HEAVY, STANDARD, Call, Outcome
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Spec
from hammerstone.judging.cases import meets
from hammerstone.judging.inputs import (
    LiteralArguments,
    constants_in,
    has_negative,
    read_call,
    stretch,
    vary,
)
from hammerstone.judging.labels import leaves_order_open
from hammerstone.judging.named_inputs import promised_inputs
from hammerstone.synthesis.examine.belief.behaviours import form_of
from hammerstone.synthesis.examine.belief.belief import (
    Adjudication,
    Belief,
    ExaminationEvidence,
    LabelClaim,
    QuestionTally,
    weigh,
)
from hammerstone.synthesis.examine.belief.confidence import Calibration, shipped
from hammerstone.synthesis.examine.belief.own_calibration import OwnCalibration
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.examine.questions import PosedQuestion, best_question
from hammerstone.synthesis.examine.suites.cases import BadCase, Draft, read_assert, settle
from hammerstone.synthesis.examine.verdict import Choice, StatedResult

PROBES_LATER = 5  # part of the made-up inputs that later evidence adds again
PROMISED = 12  # inputs made from the spec's schema
STUB = "a function that does nothing passes it"
_NEITHER = -3  # label of an adjudicator's "neither": no result has it


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What an examination uses; each can be switched off to see what it is worth."""

    examples: int = 100  # of those in the spec; read by whoever makes the truth
    voices: bool = True  # what the test authors expect
    covering: bool = True  # a candidate that raises says nothing
    varied: int = 150  # inputs made up to find differences
    stretched: int = 3  # inputs made up to find slowness


ALL = Ingredients()


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A case and the column of its call; `suite` is -1 for what a person said."""

    case: Case
    column: int
    suite: int = -1


class Examination:
    """Collects witnesses and weighs them. `belief` is only as new as the last `hear`."""

    def __init__(
        self,
        examined: Spec | str,
        sandbox: Sandbox,
        *,
        truth: Sequence[Case] = (),
        calibration: Calibration | None = None,
        ingredients: Ingredients = ALL,
        files: Mapping[str, Path] | None = None,
    ) -> None:
        """`examined` is the specification of the function; its name, where there is none."""
        spec = examined if isinstance(examined, Spec) else None
        function = examined.name if isinstance(examined, Spec) else examined
        self.function = function
        self.spec = spec
        self.promised: list[int] = []  # columns of inputs that the spec's schema accepts
        self.sandbox = sandbox
        limits = HEAVY if spec and spec.limits == "heavy" else STANDARD
        unordered = leaves_order_open(spec, truth)
        self.matrix = OutcomeMatrix(
            function, sandbox, limits=limits, files=files, unordered=unordered
        )
        self.calibration = calibration or shipped()
        self.own: OwnCalibration | None = None  # what the own library says of such numbers
        self._ingredients = ingredients
        self.draws: list[int] = []
        self.suites = 0
        self.truth = [self._heard(case) for case in truth]
        self.cases: list[PlacedCase] = []
        self.unread: list[Case] = []
        self.denied: list[LabelClaim] = []
        self.answered: QuestionTally = QuestionTally()
        self.adjudged: list[Adjudication] = []
        self.withdrawn: list[Case] = []
        self._stubbed: set[int] = set()
        self._probes = 0  # known inputs when inputs were last made up
        self._constants: list[Any] = []
        self.evidence = ExaminationEvidence(self.matrix.labels)
        self.belief = Belief(0, (), (), {}, ())
        self.confidence = 0.0
        self.freezes = True  # whether the winner gets a suite, beside the verdict

    def _heard(self, case: Case, suite: int = -1) -> PlacedCase:
        return PlacedCase(case, self.matrix.add_call(case.call), suite)

    async def hear(
        self, candidates: Sequence[str] = (), suites: Sequence[Sequence[str | Case]] = ()
    ) -> None:
        """Take in new candidates and suites, run what is missing, and weigh everything anew.

        A suite is what one author wrote: statements, or cases made elsewhere.
        """
        for suite in suites:
            await self._take(suite)
        self.draws += [self.matrix.add_code(code) for code in candidates]
        self._probe()
        await self._weigh()

    async def answer(self, asked: PosedQuestion, chosen: Choice) -> None:
        """Record what the person said about a question; it is truth from then on."""
        done = self.answered
        if chosen is None:
            self.answered = replace(done, refused=done.refused + 1)
            self.denied.append(LabelClaim(asked.column, frozenset(asked.labels), denied=True))
        elif chosen == 0:
            self.answered = replace(done, upheld=done.upheld + 1)
        else:
            self.answered = replace(done, flipped=done.flipped + 1)
        if asked.example and chosen != 0:
            self._withdraw(asked.column)
        if chosen is not None and not (asked.example and chosen == 0):
            stated = isinstance(chosen, StatedResult)
            value = chosen.value if stated else asked.question.results[chosen]
            case = Case(
                CaseKind.VALUE,
                asked.question.call,
                value,
                origin=CaseOrigin.USER,
                note="answer to a question",
            )
            self.truth.append(PlacedCase(case, asked.column))
        await self._weigh()

    async def adjudge(
        self, asked: PosedQuestion, votes: Sequence[int | None], reliability: float
    ) -> None:
        """Take in a model's votes on a question, as one witness of the given reliability."""
        shares: dict[int, float] = {}
        for vote in votes:
            label = _NEITHER if vote is None else asked.labels[vote]
            shares[label] = shares.get(label, 0.0) + 1 / len(votes)
        weight = math.log(reliability / (1 - reliability))
        self.adjudged.append(Adjudication(asked.column, shares, weight))
        await self._weigh()

    def _withdraw(self, column: int) -> None:
        """Take back an example of which the person now says that it is wrong."""
        gone = [heard for heard in self.truth if heard.column == column]
        self.truth = [heard for heard in self.truth if heard.column != column]
        self.withdrawn += [replace(h.case, note="the person withdrew it") for h in gone]

    def question(self) -> PosedQuestion | None:
        """The question that would help most now."""
        if not self.draws:
            return None
        written = {heard.column for heard in (*self.truth, *self.cases)}
        return best_question(self.belief, self.confidence, self.evidence, self.matrix, written)

    async def _take(self, suite: Sequence[str | Case]) -> None:
        drafts: list[Draft] = []
        for item in suite:
            if isinstance(item, Case):
                drafts.append(Draft(item))
                continue
            try:
                drafts += read_assert(item, self.function, f"author {self.suites + 1}")
            except BadCase as error:
                self.unread.append(_unread(item, str(error)))
        for draft, case in zip(drafts, await settle(drafts, self.sandbox), strict=True):
            if case is None:
                reason = f"the expected value {draft.expression} cannot be evaluated"
                self.unread.append(replace(draft.case, note=reason))
            else:
                self.cases.append(self._heard(case, self.suites))
        self.suites += 1

    def _probe(self) -> None:
        """Make up inputs: most of them once, a few more for a new suite or new constants."""
        known = self.known_inputs()
        constants = constants_in(self.matrix.codes)
        fresh = [one for one in constants if one not in self._constants]
        if not self._probes:
            wanted = self._ingredients.varied
        else:
            added = len(known) > self._probes
            wanted = self._ingredients.varied // PROBES_LATER if added or fresh else 0
        made = vary(known, wanted, constants=fresh, signed=self._signed(), seed=len(constants))
        if not self._probes:
            made += stretch(known, self._ingredients.stretched)
        for one in made:
            self.matrix.add_call(one.call(self.function))
        if self.spec and not self.promised:
            inputs = promised_inputs(self.spec.takes, PROMISED)
            self.promised = [self.matrix.add_call(one.call(self.function)) for one in inputs]
        self._probes, self._constants = len(known), constants

    def _signed(self) -> bool:
        """Whether a person's example has a negative number: then others are valid too."""
        given = [heard for heard in self.truth if heard.case.kind is not CaseKind.RAISES]
        return any(map(has_negative, self._read(given)))

    def known_inputs(self) -> list[LiteralArguments]:
        """The literal inputs that the person and the authors wrote, each once."""
        return self._read((*self.truth, *self.cases))

    def _read(self, said: Sequence[PlacedCase]) -> list[LiteralArguments]:
        sources = {heard.case.call.source or "" for heard in said}
        read = [read_call(source, self.function) for source in sorted(sources)]
        return [one for one in read if one is not None]

    async def _weigh(self) -> None:
        await self.matrix.fill()
        if not self.draws:
            return
        self.evidence = await self._evidence()
        self.belief = weigh(self.evidence)
        sure = self.belief.features and not self.belief.unmet
        self.confidence = self.sure_of(self.belief.features) if sure else 0.0

    def sure_of(self, features: Mapping[str, float]) -> float:
        """The calibrated probability, as the own library's experience adjusts it."""
        calm = self._unadjusted(features)
        return self.own.adjusted(calm) if self.own else calm

    @property
    def unadjusted(self) -> float:
        """The confidence before the own library's experience adjusts it."""
        heard = self.belief.features and not self.belief.unmet
        return self._unadjusted(self.belief.features) if heard else 0.0

    def _unadjusted(self, features: Mapping[str, float]) -> float:
        """The calibrated probability, shifted by what an adjudicator said."""
        calm = self.calibration.probability(features)
        if not features["adjudged"]:
            return calm
        odds = math.log(calm / (1 - calm)) + features["adjudged"]
        return 1 / (1 + math.exp(-odds))

    async def _evidence(self) -> ExaminationEvidence:
        truth = [LabelClaim(h.column, await self._accepted(h)) for h in self.truth]
        claims: list[LabelClaim] = []
        for number, heard in enumerate(self.cases):
            accepted = await self._accepted(heard)
            if self._passes_stub(heard, accepted):
                self._stubbed.add(number)
            else:
                claims.append(LabelClaim(heard.column, accepted, heard.suite))
        raising = {h.column for h in (*self.truth, *self.cases) if h.case.kind is CaseKind.RAISES}
        return ExaminationEvidence(
            cells=self.matrix.labels[self.draws],
            truth=(*truth, *self.denied),
            claims=claims if self._ingredients.voices else (),
            covering=self._ingredients.covering,
            adjudged=tuple(self.adjudged),
            answered=self.answered,
            raising=frozenset(raising),
            programs=[form_of(self.matrix.codes[row]).shape for row in self.draws],
        )

    async def _accepted(self, heard: PlacedCase) -> frozenset[int]:
        return await self.matrix.accepted(heard.case, heard.column)

    def _passes_stub(self, heard: PlacedCase, accepted: frozenset[int]) -> bool:
        """Whether a function without a body, which returns None, would pass the case."""
        if heard.case.kind is not CaseKind.PROPERTY:
            return meets(heard.case, Outcome())
        return self.matrix.find_label(heard.column, None) in accepted

    def rejected_as_stub(self) -> list[Case]:
        """Authors' cases that prove nothing, each with the reason."""
        return [replace(self.cases[n].case, note=STUB) for n in sorted(self._stubbed)]


def _unread(text: str, reason: str) -> Case:
    return Case(CaseKind.PROPERTY, Call(), check=text[:500], note=reason)
