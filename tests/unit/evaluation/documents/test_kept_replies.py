"""Replies kept through whatever breaks off an evaluation."""

import gzip
import json
import time
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, ModelError
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fingerprint import fingerprint
from hammerstone.run.answer.passage_replies import reading_prompt

PROMPTS = [reading_prompt(f"Who took Velo in {year}?", "Marland did.") for year in (1702, 1703)]


def scripted() -> ScriptedModel:
    return ScriptedModel(lambda prompt: f"reply to {len(prompt.messages)}")


async def test_new_replies_go_to_a_file_of_their_own_and_are_not_asked_again(
    tmp_path: Path,
) -> None:
    recorded, own = tmp_path / "recorded.gz", tmp_path / "new" / "own.gz"
    row = {"prompt": fingerprint(PROMPTS[0]), "replies": ["Marland"]}
    recorded.write_bytes(gzip.compress(json.dumps(row).encode()))
    before = recorded.read_bytes()
    first = KeptReplies(recorded, scripted(), own)
    assert await first.texts(PROMPTS[0]) == ["Marland"]
    said = await first.texts(PROMPTS[1])
    assert (first.recorded, first.asked) == (1, 1) and recorded.read_bytes() == before
    again = KeptReplies(recorded, None, own)
    assert await again.texts(PROMPTS[1]) == said


async def test_a_file_cut_anywhere_keeps_its_whole_rows_and_takes_new_ones(tmp_path: Path) -> None:
    own = tmp_path / "own.gz"
    whole = KeptReplies(None, scripted(), own)
    await whole.texts(PROMPTS[0])
    one = own.stat().st_size
    await whole.texts(PROMPTS[1])
    content = own.read_bytes()
    for size in range(one + 1, len(content)):
        own.write_bytes(content[:size])
        kept = KeptReplies(None, scripted(), own)
        assert kept.has(PROMPTS[0]), size
        await kept.texts(PROMPTS[1])
        again = KeptReplies(None, None, own)
        assert again.has(PROMPTS[0]) and again.has(PROMPTS[1]), size


async def test_without_time_or_model_it_says_why(tmp_path: Path) -> None:
    late = KeptReplies(None, scripted(), tmp_path / "own.gz", until=time.monotonic() - 1)
    with pytest.raises(ModelError, match="the time is over"):
        await late.texts(PROMPTS[0])
    assert late.trouble == "the time is over" and not (tmp_path / "own.gz").exists()
    with pytest.raises(ModelError, match="no recorded reply"):
        await KeptReplies(None, None).texts(PROMPTS[0])


@pytest.mark.parametrize(
    "content",
    [b"text", gzip.compress(b"[1]\n", mtime=0), gzip.compress(b'{"prompt": 1}\n', mtime=0)],
)
def test_another_file_is_told_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.gz"
    path.write_bytes(content)
    with pytest.raises(BadRequest, match="holds no replies"):
        KeptReplies(None, None, path)
    assert path.read_bytes() == content
