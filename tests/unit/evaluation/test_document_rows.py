"""Rows for a sampler elsewhere, and its replies taken into the recording."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals import document_rows
from evals.document_rows import AskedPrompts, read_rows, sample_row, taken, write, write_rows
from hammerstone.evaluation.documents.pasted import pasted_prompt
from hammerstone.models.fingerprint import fingerprint
from hammerstone.run.answer.passage_replies import reading_prompt

READ = reading_prompt("Who took Velo?", "In 1702 the Marland army took Velo.")
PASTED = pasted_prompt("Who took Velo?", "In 1702 the Marland army took Velo.")


async def test_only_what_is_not_recorded_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = tmp_path / "replies.jsonl.gz"
    other = replace(READ, seed=2)
    rows = [{"prompt": fingerprint(one), "replies": ["Marland"] * 4} for one in (READ, other)]
    write_rows(recorded, rows)
    monkeypatch.setattr(document_rows, "RECORDED", recorded)
    asked = AskedPrompts()
    assert await asked.texts(READ) == ["Marland"] * 4
    later = reading_prompt("Who lost Velo?", "In 1702 the Marland army took Velo.")
    assert await asked.texts(later) == ["not stated"] * 4
    await asked.texts(PASTED)
    write(tmp_path / "rows", asked.open)
    (read,) = read_rows([tmp_path / "rows" / "reader.jsonl.gz"])
    (pasted,) = read_rows([tmp_path / "rows" / "plain.jsonl.gz"])
    assert (read["id"], read["n"], read["greedy_first"]) == (fingerprint(later), 4, False)
    assert (pasted["id"], pasted["n"], pasted["greedy_first"]) == (fingerprint(PASTED), 1, True)
    assert pasted["messages"][-1]["content"].endswith("Question: Who took Velo?")
    sampled = [
        {"id": read["id"], "samples": ["Velo"], "tokens": [1]},
        {"id": pasted["id"], "samples": ["Marland"], "tokens": [1]},
        {"id": "another", "samples": ["Marland"], "tokens": [1]},
    ]
    kept = taken(asked, sampled)
    assert set(kept) == {fingerprint(READ), fingerprint(PASTED)}, "whole replies, asked today"


def test_a_row_asks_as_the_product_asks() -> None:
    row = sample_row("key", READ)
    assert (row["temperature"], row["max_tokens"]) == (READ.temperature, READ.max_tokens)
    assert [one["role"] for one in row["messages"]] == ["system", "user"]
