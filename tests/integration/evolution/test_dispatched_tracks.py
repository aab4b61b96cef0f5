"""Each track as a round really starts it: the product's own tracks, a suite, copies, the gate."""

import json
from pathlib import Path

import pytest

from hammerstone.app.evolution.rounds import EvolveOptions
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel
from hammerstone.prompts import instructions
from hammerstone.serve.evolution_view import sample_json
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow
from tests.integration.evolution.evolving import Says, answering, evolving, solution, times_suite

RULE = "Multiply where the request says times."
TREES = (
    "Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Rowan",
    "Spruce", "Thorn", "Willow", "Yew", "Alder", "Beech", "Holly", "Juniper", "Linden",
)  # fmt: skip
PLACES = [f"{tree} Mill" for tree in TREES]


async def round_of(hs: Hammerstone, suite: str, **options: object) -> tuple[str, list[AttemptRow]]:
    """The account of a round in which what wins is kept, and what was tried."""
    await hs.policies.change("maturity", {"level": 5}, who="anna", why="it may")
    await hs.policies.change("evolution", {"rounds": 1}, who="anna", why="one is enough here")
    row = await hs.evolution.run(suite, EvolveOptions(who="anna", review=False, **options))  # type: ignore[arg-type]
    assert row.state == "done", row.account
    return " ".join(row.account), await hs.evolution.attempts()


def by_rule(prompt: Prompt) -> Line:
    """A model that multiplies only where its instructions tell it to, and can write that rule."""
    if prompt.purpose == "prompt rewrite":
        return json.dumps({"mistake": "it added", "rules": [RULE]})
    told = RULE in prompt.messages[0].text
    return answering("a * b" if told else "a + b")(prompt)


async def test_the_prompt_track_finds_a_text_that_is_then_in_force(proved_folder: Path):
    times_suite(proved_folder, cases=30)
    async with evolving(proved_folder, by_rule) as hs:
        few: JsonObject = {"search_from": 100, "rewrites": 2}
        await hs.policies.change("prompt_track", few, who="anna", why="quicker")
        account, [attempt] = await round_of(hs, "times", tracks=(TrackName.PROMPT,))
        assert attempt.outcome == "kept", attempt.account
        assert "you asked for it" in account and "plain rewrite" in account
        stored = hs.policies.stored("prompt/solve")
        assert stored is not None and RULE in instructions(str(stored["text"]))
        assert (await hs.ask("What is 6 times 7?")).result == 42
        # What was found is seen in what it answers: a person gets some of that to look at.
        assert "answers with it wait for your word" in account
        _, _, verdicts = await hs.evolution.round(attempt.round_id)
        changed = [one for one in verdicts if one.why.startswith("with what the track prompt")]
        assert len(changed) == 5 and all(one.score == 1.0 for one in changed)
        shown = [await sample_json(hs, one) for one in await hs.evolution.samples()]
        runs = {one.run_id for one in changed}
        asked = [one for one in shown if one["run_id"] in runs]
        assert [one["given"] for one in asked] == [str(one["wanted"][0]) for one in asked]
        assert len(asked) == 5 and all("with what the track prompt" in one["why"] for one in asked)
        await hs.learning.gate.undo(attempt.proposal_id, who="anna")
        assert not hs.policies.stored("prompt/solve")


PROOF = {
    "tests": "```python\n" + "".join(
        f"assert work({a}, {b}) == {a * b}\n" for a, b in ((2, 9), (3, 3), (0, 4), (5, 8), (1, 6))
    ) + "```",
    "code": "```python\ndef work(a: int, b: int) -> int:\n    return b * a\n```",
}  # fmt: skip


def proving(prompt: Prompt) -> Line:
    """A model that multiplies, and says what a proof of that asks for."""
    if prompt.purpose == "solution":
        typed = solution("a * b").replace("(a, b)", "(a: int, b: int) -> int", 1)
        return typed.replace("{a}", "3").replace("{b}", "5")
    return PROOF.get(prompt.purpose, "{}")


async def test_the_skill_track_has_a_tool_made_and_proved(proved_folder: Path):
    times_suite(proved_folder)
    wrong = answering("a + b")
    async with evolving(proved_folder, own(proving)) as hs:
        hs.evolution.use_bench(ProductBench(hs, lambda: OneModel(ScriptedModel(wrong))))
        await hs.policies.change("skill_track", {"builds": 1}, who="anna", why="quicker")
        _, [attempt] = await round_of(hs, "times")
        assert (attempt.track, attempt.outcome) == ("skill", "kept"), attempt.account
        assert "was made and proved" in " ".join(attempt.account)
        assert [tool.name for tool in await hs.tools.list()] == ["work"]


def own(say: Says) -> Says:
    """The values of the request that is asked, in the place of fixed ones."""

    def line(prompt: Prompt) -> Line:
        text = str(say(prompt))
        words = prompt.messages[-1].text
        if prompt.purpose != "solution" or " times " not in words:
            return text
        a, b = words.split("What is ")[-1].split("?")[0].split(" times ")
        return text.replace("work(3, 5)", f"work({a.strip()}, {b.strip()})")

    return line


def mills(folder: Path) -> Path:
    """A suite of facts, and a folder with documents that hold them."""
    target, papers = folder / "suites" / "mills", folder / "papers"
    target.mkdir(parents=True)
    papers.mkdir()
    (target / "suite.toml").write_text('name = "mills"\ngrade = "contains"\n')
    rows = [
        {"id": f"m{n}", "request": f"Who built {place}?", "expect": [f"Ada Number{n}"]}
        for n, place in enumerate(PLACES)
    ]
    (target / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for n, place in enumerate(PLACES):
        text = f"# {place}\n\n{place} was built in {1800 + n} by the engineer Ada Number{n}.\n"
        (papers / f"mill{n}.md").write_text(text)
    return papers


def reader(prompt: Prompt) -> Line:
    """A model that knows no mill, and reads what it is shown."""
    text = prompt.messages[-1].text
    asked = text.split("Who built ")[-1].split("?")[0]
    if prompt.purpose == "documents":
        at = text.find(f"{asked} was built")
        found = text[at:].split("engineer ")[1].split(".")[0] if at >= 0 else "not stated"
        return [found] * prompt.samples
    if prompt.purpose == "solution":
        return (
            f'```python\ndef builder():\n    return "John {asked[:3]}"\n\nanswer = builder()\n```'
        )
    return "{}"


async def test_the_knowledge_track_reads_documents_and_the_suite_is_run_again(proved_folder: Path):
    papers = mills(proved_folder)
    async with evolving(proved_folder, reader) as hs:
        account, [attempt] = await round_of(hs, "mills", documents=papers)
        assert (attempt.track, attempt.outcome) == ("knowledge", "kept"), (account, attempt.account)
        assert attempt.before and attempt.before["mean"] == 0.0
        assert attempt.after and float(str(attempt.after["mean"])) > 0.6
        assert len(await hs.documents.list()) == len(PLACES)
        assert (await hs.ask("Who built Oak Mill?")).text.startswith("Ada Number8")


def band_program(folder: Path) -> Path:
    """A folder with a `program.md` that names one number of a policy."""
    place = folder / "program"
    place.mkdir()
    (place / "program.md").write_text(
        "goal: more right\nsurface: policies\nmetric: the suite\nexperiments: 2\n\nfit.high\n"
    )
    return place


async def test_the_harness_track_tries_what_a_program_names(proved_folder: Path):
    times_suite(proved_folder)
    place = band_program(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        account, [attempt] = await round_of(hs, "times", program=place, tracks=(TrackName.HARNESS,))
        assert (attempt.track, attempt.outcome) == ("harness", "reverted"), attempt.account
        assert "you asked for it" in account and "No difference." in attempt.account[0]
        assert "0 of 2 changes kept" in (place / "experiments.md").read_text()


@pytest.mark.parametrize(
    ("approved", "why"), [("", "a person's approval"), ("anna", "No trainer is configured")]
)
async def test_the_fine_tuning_track_refuses_in_words(proved_folder: Path, approved: str, why: str):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        tracks = (TrackName.FINE_TUNING,)
        _, [attempt] = await round_of(hs, "times", tracks=tracks, approved_by=approved)
        assert attempt.outcome == "refused" and why in attempt.account[0]


async def test_a_general_suite_is_looked_at_before_anything_is_trained(
    proved_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    times_suite(proved_folder)
    monkeypatch.setenv("HAMMERSTONE_TRAINER", "touch trained")
    monkeypatch.setenv("HAMMERSTONE_GENERAL_SUITE", "general")
    async with evolving(proved_folder, answering("a + b")) as hs:
        asked = {"tracks": (TrackName.FINE_TUNING,), "approved_by": "anna"}
        _, [attempt] = await round_of(hs, "times", **asked)
        assert attempt.outcome == "refused" and "no suite 'general'" in attempt.account[0]
        few = times_suite(proved_folder / "few", cases=3)
        (few / "suite.toml").write_text('name = "general"\n')
        few.rename(proved_folder / "suites" / "general")
        _, [attempt, _] = await round_of(hs, "times", **asked)
        assert "3 different cases, and 12 are needed" in attempt.account[0]


LEARN = "hammerstone.learn"
INSIDES = {
    TrackName.PROMPT: f"{LEARN}.prompting.prompt_track.search_prompt",
    TrackName.SKILL: f"{LEARN}.evolution.tracks.skill_track._concerns",
    TrackName.HARNESS: f"{LEARN}.harness.harness_track.read_program",
    TrackName.KNOWLEDGE: f"{LEARN}.evolution.tracks.knowledge_track.Trial",
    TrackName.FINE_TUNING: f"{LEARN}.evolution.tracks.track.TrackTask.result",
}


def crash(*_: object, **__: object) -> None:
    raise RuntimeError("a wheel came off")


@pytest.mark.parametrize("track", list(TrackName))
async def test_a_crash_inside_any_track_is_told_and_nothing_is_changed(
    proved_folder: Path, track: TrackName, monkeypatch: pytest.MonkeyPatch
):
    papers = mills(proved_folder)
    async with evolving(proved_folder, reader) as hs:
        monkeypatch.setattr(INSIDES[track], crash)
        places = {"documents": papers, "program": band_program(proved_folder)}
        _, [attempt] = await round_of(hs, "mills", tracks=(track,), **places)
        assert attempt.outcome == "broken" and "a wheel came off" in attempt.account[0]
        assert await hs.documents.list() == [] and await hs.tools.list() == []
        assert not hs.policies.stored("prompt/solve")
        monkeypatch.undo()
        again = await hs.evolution.run("mills", EvolveOptions(judge_only=True))
        assert again.state == "done"
