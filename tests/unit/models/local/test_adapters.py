"""Adapters that are kept: checked, put in use, taken back, removed."""

import struct
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, ModelMissing, NotFound
from hammerstone.core.settings import load_settings
from hammerstone.models.local.adapters import AdapterShelf, check_adapter, read_head
from hammerstone.models.local.lora import READING, SHIPPED, SOLUTIONS
from hammerstone.models.opening import local_adapters


def gguf(path: Path, kind: str = "adapter", more: bytes = b"") -> Path:
    """A GGUF file that says what it is."""
    texts = {"general.type": kind, "general.architecture": "qwen2"}
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, len(texts) + 1)
    data += struct.pack("<Q", 1) + b"n" + struct.pack("<If", 6, 1.5)
    for key, value in texts.items():
        data += struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", 8)
        data += struct.pack("<Q", len(value)) + value.encode()
    path.write_bytes(data + more)
    return path


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    head = read_head(gguf(tmp_path / "a.gguf"))
    assert head == {"general.type": "adapter", "general.architecture": "qwen2"}
    shipped = local_adapters(load_settings(data_dir=tmp_path))
    assert [one.path.name for one in shipped] == list(SHIPPED)
    assert all(read_head(one.path)["adapter.type"] == "lora" for one in shipped)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"GGUF", b"GGUF" + bytes(30)])
def test_what_is_no_adapter_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(BadRequest):
        check_adapter(path)
    with pytest.raises(BadRequest):
        check_adapter(gguf(tmp_path / "model.gguf", "model"))
    with pytest.raises(BadRequest):
        check_adapter(tmp_path / "nowhere.gguf")


def test_an_adapter_is_kept_used_and_removed(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "data")
    shelf = AdapterShelf(settings.data_dir)
    assert shelf.list() == [] and shelf.active() == "shipped"
    made = shelf.add(gguf(tmp_path / "a.gguf"), "own", purposes=("solution",), made_by="ada")
    assert shelf.list() == [made] == [shelf.get("own")]
    assert [one.purposes for one in local_adapters(settings)] == [SOLUTIONS, READING]
    assert shelf.activate("own") == "shipped"
    used, reader = local_adapters(settings)
    assert used.path == made.path and used.writes("solution") and not used.writes("talk")
    assert reader.purposes == READING, "what it leaves, the package's own does"
    with pytest.raises(BadRequest):
        shelf.remove("own")
    assert shelf.activate("off") == "own" and local_adapters(settings) == ()
    shelf.remove("own")
    assert shelf.list() == [] and not made.path.with_suffix(".json").exists()


def test_a_setting_comes_before_what_is_in_use(tmp_path: Path) -> None:
    other = gguf(tmp_path / "other.gguf")
    settings = load_settings(data_dir=tmp_path / "data", adapter=str(other))
    shelf = AdapterShelf(settings.data_dir)
    shelf.add(gguf(tmp_path / "a.gguf"), "own")
    shelf.activate("own")
    (used,) = local_adapters(settings)
    assert used.path == other and used.purposes is None


def test_names_and_copies_are_checked(tmp_path: Path) -> None:
    shelf, file = AdapterShelf(tmp_path / "data"), gguf(tmp_path / "a.gguf")
    shelf.add(file, "own")
    for name in ("own", "../own", "off", "shipped", ""):
        with pytest.raises(BadRequest):
            shelf.add(file, name)
    for name in ("other", "../a", ""):
        with pytest.raises(NotFound):
            shelf.activate(name)


def test_an_adapter_in_use_that_was_deleted_by_hand_is_told(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "data")
    shelf = AdapterShelf(settings.data_dir)
    shelf.add(gguf(tmp_path / "a.gguf"), "own").path.touch()
    shelf.activate("own")
    shelf.get("own").path.unlink()
    with pytest.raises((NotFound, ModelMissing)):
        local_adapters(settings)
