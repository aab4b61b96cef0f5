"""Searches for prompts: what they find, what they cost, and how they end."""

import asyncio
from collections.abc import Sequence

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BudgetExceeded, ModelUnavailable
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_search import SearchCases, search_prompt
from hammerstone.learn.prompting.prompt_trials import MeteredTrials, TrialCase, TrialJob, TrialScore
from hammerstone.learn.prompting.rewriter import Rewriter
from hammerstone.models.fakes import ScriptedModel
from hammerstone.prompts import instructions, shipped_text, with_instructions

START = shipped_text("kind")
POLICY = PromptTrackPolicy(trials=400, side_by_side=3, minibatch=4, idle_rounds=3)
LADDER = ("plainly", "plainly, exactly", "plainly, exactly, kindly")


class WordTrials:
    """The more of three words the instructions have, the more cases come out right."""

    model = "a table"

    def __init__(self, fails_after: int = 10_000, spoils: str = "-") -> None:
        self.run_count = 0
        self._fails_after = fails_after
        self._spoils = spoils  # a word after which half of the replies lose their form

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        self.run_count += sum(len(job.cases) for job in jobs)
        if self.run_count > self._fails_after:
            raise ModelUnavailable("the model is gone")
        return [tuple(self._score(job.text, case) for case in job.cases) for job in jobs]

    def _score(self, text: str, case: TrialCase) -> TrialScore:
        words = sum(word in instructions(text) for word in ("plainly", "exactly", "kindly"))
        right = int(case.id) % 4 <= words
        form = 0.5 if self._spoils in instructions(text) else 1.0
        told = "right" if right else "wrong"
        return TrialScore(case.id, float(right), "said", told, form=form)


def cases(count: int, start: int = 0) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(str(n), f"request {n}") for n in range(start, start + count))


def author(prompt: Prompt) -> str:
    """Adds the next word to what it is shown."""
    said = prompt.messages[-1].text
    step = next((one for one in reversed(LADDER) if one in said), "")
    place = LADDER.index(step) + 1 if step else 0
    word = LADDER[min(place, 2)]
    return f"Here:\n```\nSay what kind of request it is, {word}.\n```"


async def test_many_cases_are_searched_with_a_front_and_climb() -> None:
    trials = MeteredTrials(WordTrials(), 400, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    found = await search_prompt(
        START, SearchCases(cases(12), cases(8, 12)), trials, rewriter, POLICY
    )
    assert found is not None and found.way == "GEPA"
    assert found.best.score == 1.0 and found.start.score < 0.5 and found.gained
    assert "kindly" in instructions(found.best.text)
    assert found.trials <= 400 and found.front >= 1 and len(found.tried) >= 3


@pytest.mark.parametrize("count", [20, 9])
async def test_a_text_that_costs_the_form_of_replies_is_left_out(count: int) -> None:
    trials = MeteredTrials(WordTrials(spoils="exactly"), 400, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    seen = SearchCases(cases(count - 6), cases(6, count - 6))
    found = await search_prompt(START, seen, trials, rewriter, POLICY)
    assert found is not None and "exactly" not in instructions(found.best.text)
    better = [one for one in found.tried if one.score > found.start.score]
    spoiled = [one for one in better if "exactly" in instructions(one.text)]
    assert found.left_out == len(spoiled) and (spoiled or found.way == "plain rewrite")
    if found.gained:
        assert "plainly" in instructions(found.best.text)


async def test_the_form_is_compared_on_the_cases_that_both_were_tried_on() -> None:
    trials = MeteredTrials(WordTrials(spoils="exactly"), 400, 60.0)
    other = with_instructions(START, "Say it.")
    await trials.run([TrialJob(START, cases(4)), TrialJob(other, cases(4, 4))])
    assert trials.form_loss(START, other) == 0.0  # nothing is known
    with_word = with_instructions(START, "Say it exactly.")
    await trials.run([TrialJob(with_word, cases(2))])
    assert trials.form_loss(START, with_word) == 0.5 and trials.form_loss(with_word, START) == -0.5


async def test_few_cases_are_a_plain_rewrite() -> None:
    trials = MeteredTrials(WordTrials(), 400, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    found = await search_prompt(START, SearchCases(cases(6), cases(3, 6)), trials, rewriter, POLICY)
    assert found is not None and found.way == "plain rewrite"
    assert found.gained and found.trials == 18


async def test_a_rewrite_that_helps_no_failing_case_is_left_there() -> None:
    rewriter = Rewriter(ScriptedModel("```\nSay it somehow else.\n```"), "kind", POLICY)
    trials = MeteredTrials(WordTrials(), 400, 60.0)
    found = await search_prompt(START, SearchCases(cases(3), ()), trials, rewriter, POLICY)
    assert found is not None and not found.gained and found.best == found.start
    assert found.trials == 3 + 2


async def test_a_budget_below_one_round_of_the_search_is_for_plain_rewrites() -> None:
    trials = MeteredTrials(WordTrials(), 40, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    seen = SearchCases(cases(12), cases(18, 12))
    found = await search_prompt(START, seen, trials, rewriter, POLICY)
    assert found is not None and found.way == "plain rewrite"


async def test_a_budget_that_ends_in_the_middle_leaves_the_best_so_far() -> None:
    trials = MeteredTrials(WordTrials(), 60, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    found = await search_prompt(
        START, SearchCases(cases(12), cases(8, 12)), trials, rewriter, POLICY
    )
    assert found is not None and found.trials <= 60
    assert found.ended == "the budget was used up"
    assert found.best.score >= found.start.score


async def test_a_budget_too_small_for_the_start_finds_nothing() -> None:
    trials = MeteredTrials(WordTrials(), 5, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    seen = SearchCases(cases(12), cases(8, 12))
    assert await search_prompt(START, seen, trials, rewriter, POLICY) is None
    few = SearchCases(cases(4), cases(2, 4))
    assert await search_prompt(START, few, trials, rewriter, POLICY) is None


async def test_an_author_that_says_nothing_new_ends_the_search() -> None:
    inner = WordTrials()
    trials = MeteredTrials(inner, 10_000, 60.0)
    rewriter = Rewriter(ScriptedModel(lambda _: "```\n```"), "kind", POLICY)
    found = await search_prompt(
        START, SearchCases(cases(12), cases(8, 12)), trials, rewriter, POLICY
    )
    assert found is not None and not found.gained and found.best.text == START
    assert inner.run_count <= 20  # each case once, with the start


async def test_a_model_that_goes_away_is_told() -> None:
    trials = MeteredTrials(WordTrials(fails_after=30), 400, 60.0)
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    with pytest.raises(ModelUnavailable):
        await search_prompt(START, SearchCases(cases(12), cases(8, 12)), trials, rewriter, POLICY)


async def test_a_search_that_is_cancelled_stops_trying() -> None:
    class Slow(WordTrials):
        async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
            await asyncio.sleep(0.05)
            return await super().run(jobs)

    inner = Slow()
    rewriter = Rewriter(ScriptedModel(author), "kind", POLICY)
    work = asyncio.create_task(
        search_prompt(
            START,
            SearchCases(cases(12), cases(8, 12)),
            MeteredTrials(inner, 10_000, 60.0),
            rewriter,
            POLICY,
        )
    )
    await asyncio.sleep(0.08)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.sleep(0.2)
    before = inner.run_count
    await asyncio.sleep(0.2)
    assert inner.run_count == before


async def test_a_case_is_tried_once_with_each_text() -> None:
    inner = WordTrials()
    trials = MeteredTrials(inner, 10, 60.0)
    job = TrialJob(START, cases(5))
    first = await trials.run([job, job])
    assert first[0] == first[1] == (await trials.run([job]))[0]
    assert trials.used == inner.run_count == 5
    with pytest.raises(BudgetExceeded):
        await trials.run([TrialJob(START + " ", cases(6))])
