"""The prompt track: other instructions for the prompt that failed, proved on hidden cases."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from hammerstone.core.errors import BudgetExceeded, ModelError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.prompt_versions import PromptOrigin, PromptVersion
from hammerstone.core.seams import Allowance, Model
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding
from hammerstone.learn.evolution.tracks.decision import settle
from hammerstone.learn.evolution.tracks.track import (
    HiddenResult,
    TrackCase,
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind
from hammerstone.learn.prompting.prompt_search import (
    PromptFinding,
    SearchCases,
    SearchWay,
    search_prompt,
)
from hammerstone.learn.prompting.prompt_trials import MeteredTrials, SuiteCaseTrials, TrialCase
from hammerstone.learn.prompting.rewriter import Rewriter
from hammerstone.learn.tuning.knob import NOBODY, KnobUse
from hammerstone.library.policies import PROMPT, Policies
from hammerstone.library.prompting.prompt_shelf import PromptShelf, TrialReport, label
from hammerstone.prompts import instructions, shipped_names

SOLVE = "solve"  # the prompt for solutions, and the one taken where none is named


@dataclass(frozen=True, slots=True)
class PromptWorkbench:
    """What the track works with. `author` gives the model that writes texts, within a purse;
    `may_show` says whether a reply to a prompt has the form that an example of it must have."""

    gate: ChangeGate
    policies: Policies
    shelf: PromptShelf
    author: Callable[[Allowance], Model]
    knobs: KnobUse = NOBODY
    may_show: Callable[[str, str], bool] = lambda _prompt, _reply: True


class PromptTrack:
    """Searches for other instructions and asks the gate to use them."""

    name = TrackName.PROMPT

    def __init__(self, bench: PromptWorkbench) -> None:
        self._bench = bench

    async def try_change(self, task: TrackTask) -> TrackResult:
        prompt = blamed_prompt(task.failures)
        refusal = await self._refusal(prompt)
        if refusal:
            return task.result(self.name, TrackOutcome.REFUSED, [refusal])
        account: list[str] = []
        try:
            return await self._search(task, prompt, account)
        except BudgetExceeded as error:
            account.append(f"The budget ended: {error.message}.")
            return task.result(self.name, TrackOutcome.SPENT, account)
        except ModelError as error:
            account.append(f"The model failed: {error.message}.")
            return task.result(self.name, TrackOutcome.BROKEN, account)

    async def _refusal(self, prompt: str) -> str:
        if not instructions(self._bench.shelf.own.text(prompt)):
            return f"The prompt {prompt} has no instructions that could be changed."
        user = await self._bench.knobs.in_use(PROMPT + prompt)
        return f"The prompt {prompt} is in use by {user}." if user else ""

    async def _search(self, task: TrackTask, prompt: str, account: list[str]) -> TrackResult:
        cases = SearchCases(_cases(task.train), _cases(task.validation))
        if not cases.all:
            account.append("There is no case to search on.")
            return task.result(self.name, TrackOutcome.NOTHING, account)
        start = await self._bench.shelf.get(prompt)
        reach = task.purse.cases_left() - task.hidden
        if reach < 1:
            account.append(
                f"What is left reaches for the {task.hidden} hidden cases at most, and nothing is "
                "kept without them: no other text was tried."
            )
            return task.result(self.name, TrackOutcome.SPENT, account)
        finding = await self._found(task, start, cases, reach)
        if finding is None:
            account.append("The budget does not reach for trying the present text once.")
            return task.result(self.name, TrackOutcome.SPENT, account)
        account.append(
            f"{finding.way} on {len(cases.all)} cases: {len(finding.tried)} texts in "
            f"{finding.trials} trials; {finding.ended}. "
            f"Score {finding.start.score:.2f} before, {finding.best.score:.2f} at best."
        )
        if finding.left_out:
            account.append(
                f"Texts that did better and were left out: {finding.left_out}. Too many replies to "
                "them have not the form that an example must have."
            )
        if not finding.gained:
            account.append("No other text did better, so nothing is changed.")
            return task.result(self.name, TrackOutcome.REVERTED, account)
        return await self._prove(task, start, finding, account)

    async def _found(
        self, task: TrackTask, start: PromptVersion, cases: SearchCases, reach: float
    ) -> PromptFinding | None:
        """The search, on at most so many cases that the hidden ones can still be run."""
        policy = self._bench.policies.get(PromptTrackPolicy)
        left = task.purse.seconds_left
        model = self._bench.author(task.purse)
        known = len(cases.all)  # the present text was tried on each of them, which cost nothing
        trials = MeteredTrials(
            SuiteCaseTrials(
                task.trials,
                start.name,
                start.text,
                partial(self._bench.may_show, start.name),
            ),
            int(min(policy.trials, reach + known)),
            policy.seconds
            if left is None
            else min(policy.seconds, left - task.purse.seconds_for(task.hidden)),
        )
        rewriter = Rewriter(model, start.name, policy, task.seed)
        return await search_prompt(start.text, cases, trials, rewriter, policy, seed=task.seed)

    async def _prove(
        self, task: TrackTask, start: PromptVersion, finding: PromptFinding, account: list[str]
    ) -> TrackResult:
        """Keep the text as a version, test it once on the hidden cases, and ask the gate."""
        plain = finding.way is SearchWay.REWRITE
        origin = PromptOrigin.REWRITE if plain else PromptOrigin.SEARCH
        made = await self._bench.shelf.add(
            start.name, finding.best.text, origin, parent=start.hash, why=f"suite {task.suite}"
        )
        search = (ScorePair("all search cases", finding.start.score, finding.best.score),)
        change: JsonObject = {
            "prompt": start.name,
            "before": label(start),
            "after": label(made),
            "instructions": instructions(made.text),
        }
        try:
            task.purse.check()
            hidden = await task.trials.test(Trial(prompts={start.name: made.text}))
        except BudgetExceeded:
            proposal = _proposal(start.name, made, ProposalEvidence(search=search))
            why = "the budget ended before it was tried on the hidden cases"
            asked = await self._bench.gate.ask(proposal, why=why)
            account.append(f"Version {label(made)} waits as a proposal: {why}.")
            return task.result(self.name, TrackOutcome.SPENT, account, asked.id, change=change)
        await self._keep(made, task, hidden)
        if (await self._bench.shelf.get(start.name)).hash != start.hash:
            account.append(
                "The prompt was changed by somebody else meanwhile: nothing is proposed."
            )
            return task.result(self.name, TrackOutcome.REVERTED, account, change=change)
        evidence = ProposalEvidence(
            search=search, held_out=hidden.pairs, passes=hidden.passes, looks=hidden.looks
        )
        proposal = _proposal(start.name, made, evidence)
        settled = await settle(self._bench.gate, self._bench.policies, proposal, task.review)
        account += settled.account
        return task.result(
            self.name,
            settled.outcome,
            account,
            settled.proposal,
            hidden=(hidden.before, hidden.after),
            change=change,
        )

    async def _keep(self, made: PromptVersion, task: TrackTask, hidden: HiddenResult) -> None:
        """The score on the hidden cases, kept with the version unless that is gone."""
        model = self._bench.author(task.purse).name
        results = {pair.case: pair.after for pair in hidden.pairs}
        if results:
            await self._bench.shelf.keep_score(made, TrialReport(task.suite, model, results))


def _proposal(prompt: str, made: PromptVersion, evidence: ProposalEvidence) -> Proposal:
    return Proposal(
        ProposalKind.PROMPT,
        prompt,
        f"prompt {prompt}: version {label(made)}, found by a search",
        {"values": {"text": made.text}},
        evidence,
        probation=True,
    )


def blamed_prompt(failures: Sequence[FailureFinding]) -> str:
    """The prompt that most failures concern; the one for solutions where none is named."""
    kinds = (FailureClass.PROMPT, FailureClass.BOTH)
    known = set(shipped_names())
    named = [one.prompt for one in failures if one.kind in kinds and one.prompt in known]
    return Counter(named).most_common(1)[0][0] if named else SOLVE


def _cases(cases: Sequence[TrackCase]) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(one.id, one.request) for one in cases)
