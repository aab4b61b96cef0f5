"""The adapter of the embedded model: which one is meant, its name, and who gets it."""

import hashlib
from pathlib import Path

import pytest

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelMissing, SettingsError
from hammerstone.core.settings import Settings, load_settings
from hammerstone.models.local import client, lora, server
from hammerstone.models.local.client import LocalModel
from hammerstone.models.local.lora import READING, SOLUTIONS, LoraAdapter, chosen_adapters
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.rendezvous import Rendezvous
from hammerstone.models.opening import bare_model, local_adapters
from hammerstone.synthesis.examine.belief.own_calibration import (
    EMBEDDED_MODEL_NAME,
    EMBEDDED_WITH_ADAPTER,
    own_calibration,
)

SHA256 = [
    "be39412bac68e6f788b1848cb1d33b6edb671dc8933fb05f930fa8c018141b27",
    "32d26b80384278d198a4b429d8722bf5bf4c54011b9ffd581a3d9890304ebc87",
]


@pytest.fixture
def adapter(tmp_path: Path) -> LoraAdapter:
    path = tmp_path / "Own.gguf"
    path.write_bytes(b"GGUF numbers")
    return LoraAdapter(path)


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "Model.gguf"
    path.write_bytes(b"not a model")
    return path


@pytest.fixture
def in_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder that holds its adapters."""
    folder = tmp_path / "package"
    folder.mkdir()
    for name in lora.SHIPPED:
        (folder / name).write_bytes(f"GGUF {name}".encode())
    monkeypatch.setattr("importlib.resources.files", lambda _: folder)
    return folder


def test_the_name_holds_the_hash(adapter: LoraAdapter) -> None:
    first = adapter.name
    assert first == f"own-{hashlib.sha256(b'GGUF numbers').hexdigest()[:8]}"
    adapter.path.write_bytes(b"GGUF other numbers")
    assert adapter.name != first, "other numbers are another model"
    adapter.path.unlink()
    assert adapter.name == "own-missing"


def test_the_packages_own_are_used_unless_they_are_off(
    in_package: Path, adapter: LoraAdapter
) -> None:
    writer = LoraAdapter(in_package / "adapter.gguf", SOLUTIONS)
    reader = LoraAdapter(in_package / "reader.gguf", READING)
    assert chosen_adapters(None) == (writer, reader)
    assert chosen_adapters(None, off=True) == ()
    assert chosen_adapters(adapter) == (adapter,), "a person's own is for everything"
    some = LoraAdapter(adapter.path, frozenset({"solution"}))
    assert chosen_adapters(some) == (some, reader), "or for what it names"
    assert chosen_adapters(None, own_model=True) == (), "they belong to the embedded model"
    assert chosen_adapters(adapter, own_model=True) == (adapter,)
    reader.path.unlink()
    assert chosen_adapters(None) == (writer,)


def test_the_setting_reaches_the_models_name(
    tmp_path: Path, adapter: LoraAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_ADAPTER", str(adapter.path))
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    settings = load_settings()
    assert local_adapters(settings) == (adapter,)
    with_it = bare_model("local", settings).name
    without = bare_model("local", Settings(data_dir=tmp_path, adapter="off")).name
    assert with_it == f"{without}+{adapter.name}", "caches and traces tell them apart"


def test_a_projects_file_may_not_choose_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hammerstone.toml").write_text('adapter = "theirs.gguf"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="adapter"):
        load_settings()


def test_each_adapter_has_its_own_process(
    tmp_path: Path, model_file: Path, adapter: LoraAdapter
) -> None:
    bare = Rendezvous(tmp_path, model_file).endpoint_file
    first = Rendezvous(tmp_path, model_file, [adapter]).endpoint_file
    adapter.path.write_bytes(b"GGUF other numbers")
    second = Rendezvous(tmp_path, model_file, [adapter]).endpoint_file
    both = Rendezvous(tmp_path, model_file, [adapter, adapter]).endpoint_file
    assert len({bare, first, second, both}) == 4


@pytest.mark.parametrize("content", [None, b"something else"])
async def test_a_bad_adapter_is_said_before_anything_is_started(
    tmp_path: Path, model_file: Path, content: bytes | None
) -> None:
    path = tmp_path / "bad.gguf"
    if content is not None:
        path.write_bytes(content)
    process = ModelProcess(tmp_path / "r", model_file, adapters=[LoraAdapter(path)])
    with pytest.raises(ModelMissing, match=r"adapter .*bad\.gguf") as caught:
        await process.ensure()
    assert "HAMMERSTONE_ADAPTER" in caught.value.hint
    assert not process.meeting.held()
    named = LocalModel(model_file, tmp_path, adapters=[LoraAdapter(path)])
    assert named.name.startswith("model+bad-")


@pytest.mark.parametrize(
    ("purpose", "wanted"),
    [("solution", [1.0, 0.0]), ("solution repair", [1.0, 0.0]), ("documents", [0.0, 1.0]),
     ("tests", [0.0, 0.0]), ("", [0.0, 0.0])],
)  # fmt: skip
def test_each_of_the_packages_own_is_put_on_for_its_purposes(
    in_package: Path, adapter: LoraAdapter, purpose: str, wanted: list[float]
) -> None:
    prompt = Prompt((Message("user", "x"),), purpose=purpose)
    said = client._body(prompt, chosen_adapters(None))["lora"]
    assert said == [{"id": number, "scale": scale} for number, scale in enumerate(wanted)]
    own = client._body(prompt, [adapter])
    assert own["lora"] == [{"id": 0, "scale": 1.0}], "a person's own is for everything"
    assert "lora" not in client._body(prompt)


def test_the_files_in_the_package_are_those_that_were_measured() -> None:
    """Small enough; what writes solutions is known to the calibration of tools by its name."""
    shipped = chosen_adapters(None)
    assert [one.sha256 for one in shipped] == SHA256
    assert all(one.path.stat().st_size <= 16_000_000 for one in shipped)
    assert f"{EMBEDDED_MODEL_NAME}{lora.writers_name(shipped)}" == EMBEDDED_WITH_ADAPTER
    assert not own_calibration(EMBEDDED_WITH_ADAPTER, []).cautious
    assert own_calibration(f"{EMBEDDED_MODEL_NAME}+adapter-00000000", []).cautious


STAND_IN = """
import http.server, sys, threading
from pathlib import Path
from hammerstone.models.local import server

class Up(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'[{"id_task": 1, "is_processing": false}]'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

class Server:
    def __init__(self):
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Up)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._http.server_address[1]}"

def load(model, threads, key, adapters=()):
    Path(str(model) + ".loaded").write_text(" ".join(map(str, adapters)))
    return Server()

server._load = load
server.POLL_S = 0.05
sys.exit(server.main())
"""


async def test_the_process_is_given_the_adapter(
    tmp_path: Path, model_file: Path, adapter: LoraAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    monkeypatch.setattr("hammerstone.models.local.process.SERVER", (str(script),))
    process = ModelProcess(tmp_path / "r", model_file, idle_s=30, adapters=[adapter])
    await process.ensure()
    assert Path(f"{model_file}.loaded").read_text() == str(adapter.path)
    assert ModelProcess(tmp_path / "r", model_file).find() is None, "the bare model has its own"
    assert process.stop()


def test_llama_cpp_is_told(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    monkeypatch.setattr(xllamacpp, "Server", lambda params: params)
    params = server._load(model_file, 1, "key", [Path("/some/a.gguf"), Path("/some/b.gguf")])
    told = [(one.path, one.scale) for one in params.lora_adapters]
    assert told == [("/some/a.gguf", 1.0), ("/some/b.gguf", 1.0)]
    assert not server._load(model_file, 1, "key").lora_adapters
