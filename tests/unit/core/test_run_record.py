"""A run's record comes back from its row as it was."""

from hammerstone.app.traces.trace_steps import record_words
from hammerstone.core.run_record import RunRecord, SentPrompt, ToolVersion

RECORD = RunRecord(
    kind="calculation",
    strategy="solving",
    release="1.2.3",
    models=("small", "large"),
    policies={"fit": 3, "prompt/solve": 2},
    prompts={"solve": SentPrompt(1, 2, "abc"), "kind": SentPrompt(4)},
    variants={"e1": "high"},
    tools=(ToolVersion("mean", "v1"),),
    cached=True,
    tokens=120,
    model_calls=2,
    usd=0.5,
    seconds=1.25,
)


def test_a_record_comes_back_as_it_was() -> None:
    assert RunRecord.from_json(RECORD.to_json()) == RECORD
    assert RunRecord.from_json(RunRecord().to_json()) == RunRecord()


def test_the_round_is_the_highest_of_the_prompts_that_were_sent() -> None:
    assert RECORD.prompt_round == 2 and RECORD.to_json()["prompt_round"] == 2
    assert RunRecord().prompt_round == 0


def test_a_run_from_before_there_were_records_has_none() -> None:
    assert RunRecord.from_json(None) is None
    assert RunRecord.from_json({}) is None


def test_what_is_not_known_yet_or_any_more_is_passed_over() -> None:
    read = RunRecord.from_json({"strategy": "single", "something new": 1})
    assert read == RunRecord(strategy="single")


def test_a_person_reads_versions_and_variants() -> None:
    assert record_words(RECORD) == [
        "answered as: solving, from the cache",
        "tools: mean",
        "models: small, large",
        "prompts: kind (version 4), solve (version 1, your own text 2)",
        "policies that were changed, with their version: fit 3",
        "experiment e1: variant high",
    ]
    assert record_words(RunRecord()) == ["answered as: not known"]
