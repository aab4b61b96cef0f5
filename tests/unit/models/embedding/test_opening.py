"""Which embedder the settings lead to, and what is said when there is none."""

from pathlib import Path

import pytest

from hammerstone.core.errors import ModelMissing, WrongHash
from hammerstone.core.settings import Settings
from hammerstone.models.embedding.embedder_opening import open_embedder, why_words_only
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.models.embedding.remote import RemoteEmbedder
from hammerstone.models.pull.model_files import MINILM_ONNX, MINILM_TOKENIZER


def test_missing_files_mean_words_only_with_a_reason(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="local")
    assert open_embedder(settings) is None
    assert MINILM_ONNX.name in why_words_only(settings)
    assert "hammerstone model pull" in why_words_only(settings)


def test_switched_off(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="off")
    assert open_embedder(settings) is None
    assert "switched off" in why_words_only(settings)


async def test_a_remote_one_needs_an_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_EMBEDDING_MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert open_embedder(Settings(data_dir=tmp_path, embedder="openai")) is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_EMBEDDING_MODEL", "nomic")
    embedder = open_embedder(Settings(data_dir=tmp_path, embedder="openai"))
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.space == "nomic@127.0.0.1"
    await embedder.close()


async def test_a_swapped_file_is_refused_on_loading(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="local")
    settings.models_dir.mkdir()
    (settings.models_dir / MINILM_ONNX.name).write_bytes(b"not the model")
    (settings.models_dir / MINILM_TOKENIZER.name).write_bytes(b"{}")
    embedder = open_embedder(settings)
    assert isinstance(embedder, LocalEmbedder)
    with pytest.raises(WrongHash, match="not the promised file") as caught:
        await embedder.embed(["hello"])
    assert caught.value.data["path"].endswith(MINILM_ONNX.name)


async def test_a_file_that_vanished_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=MINILM_ONNX.name):
        await LocalEmbedder(tmp_path).embed(["hello"])
