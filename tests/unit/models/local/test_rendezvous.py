"""Finding and starting the shared process, with a stand-in for the model where one is needed."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError, ModelMissing, ModelUnavailable
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.rendezvous import Endpoint, Rendezvous, sign, take


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"not a model")
    return path


def test_what_a_dead_process_left_is_ignored(tmp_path: Path, model_file: Path) -> None:
    meeting = Rendezvous(tmp_path / "runtime", model_file)
    meeting.prepare()
    meeting.publish(Endpoint(pid=1, port=2, key="k"))
    assert meeting.find() is None, "nobody holds the lock"
    lock = take(meeting.lock_file)
    assert lock is not None
    assert meeting.find() is None, "someone else holds the lock and is still loading"
    sign(lock)
    assert meeting.find() is None
    meeting.publish(Endpoint(os.getpid(), 2, "k"))
    assert meeting.find() == Endpoint(os.getpid(), 2, "k")
    os.close(lock)
    assert meeting.find() is None


def test_the_key_is_for_the_owner_alone(tmp_path: Path, model_file: Path) -> None:
    meeting = Rendezvous(tmp_path / "runtime", model_file)
    meeting.prepare()
    meeting.publish(Endpoint(1, 2, "k"))
    assert stat.S_IMODE(meeting.endpoint_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(meeting.runtime_dir.stat().st_mode) == 0o700


def test_only_the_own_endpoint_is_withdrawn(tmp_path: Path, model_file: Path) -> None:
    meeting = Rendezvous(tmp_path / "runtime", model_file)
    meeting.prepare()
    meeting.publish(Endpoint(7, 2, "k"))
    meeting.withdraw(8)
    assert meeting.endpoint_file.exists()
    meeting.withdraw(7)
    assert not meeting.endpoint_file.exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}'])
def test_unreadable_endpoint(tmp_path: Path, model_file: Path, content: str) -> None:
    meeting = Rendezvous(tmp_path, model_file)
    meeting.endpoint_file.write_text(content)
    assert meeting.find() is None


def test_each_model_file_has_its_own_process(tmp_path: Path, model_file: Path) -> None:
    other = Rendezvous(tmp_path, tmp_path / "other.gguf")
    assert other.endpoint_file != Rendezvous(tmp_path, model_file).endpoint_file


async def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        await ModelProcess(tmp_path, tmp_path / "none.gguf").ensure()
    assert caught.value.hint == "hammerstone model pull"


async def test_missing_package(
    tmp_path: Path, model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelMissing, match="xllamacpp"):
        await ModelProcess(tmp_path, model_file).ensure()


async def test_runtime_directory_that_cannot_be_made(tmp_path: Path, model_file: Path) -> None:
    with pytest.raises(DataDirectoryError):
        await ModelProcess(model_file / "runtime", model_file).ensure()


async def test_broken_model_file_is_said_and_leaves_no_process(
    tmp_path: Path, model_file: Path
) -> None:
    """The real server process, which cannot load what is not a model."""
    process = ModelProcess(tmp_path / "runtime", model_file)
    with pytest.raises(ModelUnavailable, match="ended while loading") as caught:
        await process.ensure()
    assert "model-" in caught.value.hint
    assert not process.meeting.held()
    assert process.find() is None
    assert process.stop() is False


STAND_IN = """
import http.server, os, sys, time
from pathlib import Path
from hammerstone.models.local.rendezvous import Endpoint, Rendezvous
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
        import threading
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Up)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._http.server_address[1]}"

def load(model, threads, key, adapters=()):
    time.sleep(0.3)
    return Server()

server._load = load
server.POLL_S = 0.05
sys.exit(server.main())
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real process machinery with a quick stand-in for llama.cpp."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    monkeypatch.setattr("hammerstone.models.local.process.SERVER", (str(script),))


@pytest.mark.usefixtures("stand_in")
async def test_many_at_once_start_one(tmp_path: Path, model_file: Path) -> None:
    many = [ModelProcess(tmp_path / "r", model_file, idle_s=30) for _ in range(5)]
    found = await asyncio.gather(*(process.ensure() for process in many))
    assert len(set(found)) == 1
    assert many[0].stop()


STARTER = """
import asyncio, sys
from pathlib import Path
from hammerstone.models.local import process
process.SERVER = (sys.argv[1],)
one = process.ModelProcess(Path(sys.argv[2]), Path(sys.argv[3]), idle_s=30)
print(asyncio.run(one.ensure()).pid)
"""


@pytest.mark.usefixtures("stand_in")
async def test_several_processes_share_it_and_it_outlives_them(
    tmp_path: Path, model_file: Path
) -> None:
    arguments = (str(tmp_path / "stand_in.py"), str(tmp_path / "r"), str(model_file))
    starters = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", STARTER, *arguments, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(3)
    ]
    pids = {(await starter.communicate())[0].strip() for starter in starters}
    assert len(pids) == 1
    process = ModelProcess(tmp_path / "r", model_file)
    endpoint = process.find()
    assert endpoint is not None and str(endpoint.pid).encode() in pids
    os.kill(endpoint.pid, 9)  # it dies hard: the next one to ask starts another
    for _ in range(200):
        if process.find() is None:
            break
        await asyncio.sleep(0.01)
    fresh = await process.ensure()
    assert fresh.pid != endpoint.pid and fresh.key != endpoint.key
    assert process.stop()


@pytest.mark.usefixtures("stand_in")
async def test_leaves_when_idle(tmp_path: Path, model_file: Path) -> None:
    process = ModelProcess(tmp_path / "r", model_file, idle_s=0.2)
    await process.ensure()
    for _ in range(500):
        if not process.meeting.held():
            break
        await asyncio.sleep(0.02)
    assert process.find() is None
    assert not process.meeting.endpoint_file.exists()
