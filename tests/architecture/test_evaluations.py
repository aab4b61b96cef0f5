"""No script of `evals/` is lost: each is a measurement, a part of one, or makes a file."""

import ast
from pathlib import Path

import pytest

from hammerstone.core.evaluations import Chapter, EvaluationSet, EvaluationVersions
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.catalogue import measurements
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.board.versions import work_hash
from hammerstone.evaluation.chapters import of_repository

ROOT = Path(__file__).parents[2]
EVALS = ROOT / "evals"
# Parts of measurements: cases, actors, helpers of a process.
PARTS = {
    "bank_bugs", "composite_asking", "composite_chains", "composite_requests", "crash_child",
    "crash_file", "crash_others", "crash_restarts", "crash_rounds", "crash_servers", "dbos_acts",
    "faulty_endpoint", "fuzz_decoders", "fuzz_inputs", "half_choice", "injection_cases",
    "injection_doors", "kept_model", "label_people", "ledger_acts", "line_tests", "many_search",
    "many_tools", "measured", "mutant_runs", "near_index", "own_process", "page_texts",
    "planted_prompts", "planted_runs", "prompt_record", "provider_protocols", "random_edits",
    "reading_ease", "recorded_runs", "reuse_files", "scripted_server", "scripted_worker",
    "scrub_set", "search_ways", "solution_trials", "source_places", "stop_acts", "text_sources",
    "trigger_server", "two_processes_acts", "two_processes_truth",
}  # fmt: skip
# What writes a file, a picture or a list for people, what checks the scoreboard itself, and what
# needs files that only some machines have.
MAKERS = {
    "document_rows", "document_ways", "fit_documents", "fit_gate", "judge_rows", "judge_words",
    "library_choice",
    "mutant_sample", "picture", "prompt_rows", "prompt_samples", "repair_prompts",
    "repair_samples", "replay_runs", "scoreboard_check", "start_compared", "starter_files",
    "unseen_documents", "web_pictures",
}  # fmt: skip
PLACES = [one.run.keywords["place"] for one in of_repository.MEASUREMENTS]  # type: ignore[attr-defined]


def test_every_script_is_a_measurement_a_part_or_a_maker() -> None:
    scripts = {path.stem for path in EVALS.glob("*.py")}
    measured = {place.partition(":")[0] for place in PLACES}
    assert scripts == measured | PARTS | MAKERS
    assert not measured & (PARTS | MAKERS)


@pytest.mark.parametrize("place", PLACES)
def test_what_the_table_names_is_there(place: str) -> None:
    module, _, name = place.partition(":")
    tree = ast.parse((EVALS / f"{module}.py").read_text("utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
    assert (name or "findings") in functions


@pytest.mark.parametrize("module", sorted({place.partition(":")[0] for place in PLACES}))
def test_a_script_prints_nothing_of_its_own(module: str) -> None:
    text = (EVALS / f"{module}.py").read_text("utf-8")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    assert "print" not in names and "ArgumentParser" not in text
    assert "measured(" in text.rpartition("if __name__")[2]


def test_every_chapter_is_measured_in_every_set() -> None:
    known = measurements()
    for chosen in EvaluationSet:
        assert {one.chapter for one in known if chosen in one.sets} == set(Chapter), chosen


def test_the_instant_set_asks_no_model_and_no_network() -> None:
    instant = [one for one in measurements() if EvaluationSet.INSTANT in one.sets]
    assert not [one.name for one in instant if one.needs.model or one.needs.network]


def test_without_the_repository_that_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    resources = BoardResources(Settings(data_dir=tmp_path), None)  # type: ignore[arg-type]
    reasons = {resources.unmet(one.needs) for one in of_repository.MEASUREMENTS}
    assert reasons == {"it needs the repository: run `hammerstone eval` from its folder"}


def test_a_changed_script_is_other_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src" / "hammerstone").mkdir(parents=True)
    (tmp_path / "evals").mkdir()
    script = tmp_path / "evals" / "gate.py"
    script.write_text("one", "utf-8")
    monkeypatch.chdir(tmp_path)
    measurement, versions = of_repository.MEASUREMENTS[0], EvaluationVersions()
    before = work_hash(measurement, versions, "", EvaluationSet.FULL)
    assert before == work_hash(measurement, versions, "", EvaluationSet.FULL)
    script.write_text("two", "utf-8")
    assert before != work_hash(measurement, versions, "", EvaluationSet.FULL)


def test_every_measurement_is_in_the_documents_table() -> None:
    text = (ROOT / "docs" / "scoreboard.md").read_text("utf-8").partition("## All measurements")[2]
    listed = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}
    assert listed == {one.name for one in measurements()}
