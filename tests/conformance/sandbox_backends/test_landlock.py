"""The Landlock backend: every probe, as root and as an ordinary user without namespaces."""

import asyncio
import ctypes
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Program
from hammerstone.core.settings import load_settings
from hammerstone.sandbox.conformance import run_probes
from hammerstone.sandbox.landlock import rules, running, server, watch
from hammerstone.sandbox.landlock.backend import GAPS
from hammerstone.sandbox.landlock.server import NICENESS
from hammerstone.sandbox.opening import open_backend_sandbox

ORDINARY_UID = 61_234
ADD = Program("def add(a, b):\n    return a + b\n", "add")


@pytest.fixture
async def sandbox(tmp_path):
    if not rules.version():
        pytest.skip("cannot run here: this kernel has no Landlock")
    settings = load_settings(data_dir=tmp_path, sandbox_slots=3)
    opened = await open_backend_sandbox("landlock", settings, prove=False)
    yield opened
    await opened.close()


def program(body, name="run", arguments=""):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return Program(f"def {name}({arguments}):\n{lines}\n", name)


def running_server(sandbox):
    (only,) = sandbox._backend._servers.values()
    return only


async def test_every_probe_is_contained_but_the_named_gaps(sandbox):
    report = await run_probes(sandbox)
    assert not report.breaches, report.breaches
    assert {result.name for result in report.probes if not result.contained} == set(GAPS)


def test_every_probe_is_contained_for_an_ordinary_user_without_namespaces(tmp_path):
    if os.getuid() != 0:
        pytest.skip("cannot run here: needs root to become another user")
    python = _python_for_everyone()
    home = Path(tempfile.mkdtemp(prefix="ordinary-"))
    os.chown(home, ORDINARY_UID, ORDINARY_UID)
    script = Path(__file__).with_name("ordinary_user.py")
    readable = home / "script.py"
    shutil.copy(script, readable)
    try:
        done = subprocess.run(
            [python, "-I", str(readable), *_import_paths()],
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
            cwd="/",
            user=ORDINARY_UID,
            group=ORDINARY_UID,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    assert found["uid"] == ORDINARY_UID
    assert found["namespaces"] == "refused"
    failed = {probe["name"] for probe in found["probes"] if not probe["contained"]}
    assert failed == set(GAPS), [probe for probe in found["probes"] if not probe["contained"]]


def _python_for_everyone():
    """An interpreter of this version that another user can start."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for place in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        real = Path(place).resolve()
        if real.exists() and all(part.stat().st_mode & 0o001 for part in real.parents):
            return place
    pytest.skip(f"cannot run here: no {version} that an ordinary user can start")


def _import_paths():
    source = Path(server.__file__).parents[3]
    packages = Path(pytest.__file__).parents[1]
    return [str(source), str(packages)]


async def test_a_guest_cannot_make_another_process_but_can_use_threads(sandbox):
    body = (
        "import os, threading, asyncio\n"
        "said = []\n"
        "for make in (os.fork, lambda: os.execv('/bin/true', ['true']),\n"
        "             lambda: os.posix_spawn('/bin/true', ['true'], {})):\n"
        "    try:\n"
        "        make()\n"
        "        said.append('made')\n"
        "    except OSError as error:\n"
        "        said.append(error.errno)\n"
        "done = []\n"
        "thread = threading.Thread(target=lambda: done.append(1))\n"
        "thread.start()\n"
        "thread.join()\n"
        "async def five():\n"
        "    return 5\n"
        "return [said, done, asyncio.run(five())]"
    )
    outcome = await sandbox.call(program(body), Call())
    assert outcome.value == [[1, 1, 1], [1], 5], outcome


async def test_a_guest_stands_behind_what_a_person_waits_for(sandbox):
    body = "import os\nreturn os.getpriority(os.PRIO_PROCESS, 0)"
    outcome = await sandbox.call(program(body), Call())
    assert outcome.value == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS), outcome


async def test_files_come_in_and_artifacts_go_out(sandbox, tmp_path):
    given = tmp_path / "données.csv"
    given.write_text("a,b\n1,2\n")
    given.chmod(0o600)
    body = (
        "import os, shutil\n"
        "text = open(path).read()\n"
        "open('/tmp/out/copy.txt', 'w').write(text)\n"
        "shutil.copy2('/tmp/out/copy.txt', '/tmp/out/again.txt')\n"
        "return [text, os.listdir('/files/'), open('/files/in.csv').read() == text]"
    )
    outcome = await sandbox.call(
        program(body, arguments="path"),
        Call(args=("/files/in.csv",)),
        files={"in.csv": given},
    )
    assert outcome.value == ["a,b\n1,2\n", ["in.csv"], True], outcome
    assert {a.name: a.content for a in outcome.artifacts} == {
        "copy.txt": b"a,b\n1,2\n",
        "again.txt": b"a,b\n1,2\n",
    }


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("try:\n    return open('sales.csv').read()\nexcept OSError:\n    return 'none'", True),
        ("from pathlib import Path\nreturn Path('/data/sales.csv').is_file()", True),
        ("import os\nreturn os.path.getsize(b'sales.csv')", True),
        ("open('sales.csv', 'w').write('1')\nreturn open('sales.csv').read()", False),
        ("return 'sales.csv'.split('.')", False),
    ],
)
async def test_files_that_were_looked_for_in_vain_are_told(sandbox, body, missing):
    outcome = await sandbox.call(program(body), Call())
    assert outcome.missing_files == (("sales.csv",) if missing else ()), outcome
    (row,) = await sandbox.matrix([program(body)], [Call()])
    assert row[0].missing_files == ()  # only a single call asks for it


async def test_a_matrix_gives_each_program_its_row(sandbox):
    broken = Program("def add(a, b):\n    raise ValueError(a)\n", "add")
    rows = await sandbox.matrix([ADD, broken, ADD], [Call(args=(n, 1)) for n in range(5)])
    assert [outcome.value for outcome in rows[0]] == [1, 2, 3, 4, 5]
    assert [outcome.value for outcome in rows[2]] == [1, 2, 3, 4, 5]
    assert {outcome.failure for outcome in rows[1]} == {Failure.RAISED}
    assert {outcome.backend for row in rows for outcome in row} == {"landlock"}


async def test_memory_is_capped_and_said_so(sandbox):
    outcome = await sandbox.call(program("return len(bytearray(400 << 20))"), Call())
    assert outcome.failure is Failure.MEMORY
    outcome = await sandbox.call(program("return len(bytearray(100 << 20))"), Call())
    assert outcome.value == 100 << 20
    assert outcome.use.peak_memory_bytes > 100 << 20
    assert outcome.use.cpu_s > 0


async def test_a_killed_server_costs_a_retry_and_nothing_else(sandbox):
    slow = program("import time\ntime.sleep(0.4)\nreturn 7")
    call = asyncio.create_task(sandbox.call(slow, Call()))
    await asyncio.sleep(0.2)
    os.kill(running_server(sandbox).pid, signal.SIGKILL)
    outcome = await call
    assert outcome.value == 7, outcome


async def test_cancelling_kills_the_code_and_removes_its_folder(sandbox):
    marker = f"hsc{os.getpid()}"
    body = (
        "import ctypes, time\n"
        f"ctypes.CDLL(None).prctl(15, b'{marker}', 0, 0, 0)\n"
        "open('/tmp/here', 'w').write('x')\n"
        "time.sleep(30)"
    )
    call = asyncio.create_task(sandbox.call(program(body), Call()))
    await _until(lambda: _named(marker))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not _named(marker)
    assert list(running_server(sandbox)._home.iterdir()) == []


async def _until(condition, patience_s=10.0):
    until = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


def _named(name):
    return [
        path
        for path in Path("/proc").glob("[0-9]*/comm")
        if path.exists() and _text(path).strip() == name
    ]


def _text(path):
    try:
        return path.read_text()
    except OSError:
        return ""


async def test_a_closed_sandbox_starts_nothing(sandbox):
    await sandbox.close()
    outcome = await sandbox.call(program("return 1"), Call())
    assert outcome.failure == "lost"
    assert "closed" in outcome.error
    assert sandbox._backend._servers == {}


async def test_many_calls_leave_nothing_behind(sandbox):
    await sandbox.call(ADD, Call(args=(1, 2)))
    server_pid = running_server(sandbox).pid

    def held():
        mine = len(os.listdir("/proc/self/fd"))
        return mine, len(os.listdir(f"/proc/{server_pid}/fd"))

    before = held()
    for number in range(40):
        outcome = await sandbox.call(ADD, Call(args=(number, 1)))
        assert outcome.value == number + 1
    assert held() == before
    assert list(running_server(sandbox)._home.iterdir()) == []
    assert Path(f"/proc/{server_pid}/task/{server_pid}/children").read_text() == ""


async def test_a_worn_out_server_is_replaced_without_anyone_noticing(sandbox, monkeypatch):
    monkeypatch.setattr("hammerstone.sandbox.landlock.running.RECYCLE_AFTER", 3)
    pids = set()
    for number in range(8):
        outcome = await sandbox.call(ADD, Call(args=(number, 1)))
        assert outcome.value == number + 1
        pids.add(running_server(sandbox).pid)
    assert len(pids) >= 3


def test_guests_die_with_the_host_and_its_folder_is_swept(tmp_path):
    marker = f"hsh{os.getpid()}"
    script = f"""
import asyncio, sys
sys.path.insert(0, {_import_paths()[0]!r})
from hammerstone.core.calls import Call, Program
from hammerstone.core.settings import load_settings
from hammerstone.sandbox.opening import open_backend_sandbox
code = '''
def run():
    import ctypes, time
    ctypes.CDLL(None).prctl(15, b"{marker}", 0, 0, 0)
    time.sleep(60)
'''
async def main():
    settings = load_settings(data_dir={str(tmp_path)!r})
    sandbox = await open_backend_sandbox("landlock", settings, prove=False)
    await sandbox.call(Program(code, "run"), Call())
asyncio.run(main())
"""
    host = subprocess.Popen([sys.executable, "-c", script])
    try:
        asyncio.run(_until(lambda: _named(marker), 20))
    finally:
        host.kill()
        host.wait()
    asyncio.run(_until(lambda: not _named(marker)))
    running.sweep_homes()
    assert not list(Path(tempfile.gettempdir()).glob(f"hammerstone-landlock-{host.pid}-*"))


def test_a_folder_filled_by_hostile_code_is_removed(tmp_path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    outside = tmp_path / "outside.txt"
    outside.write_text("stays")
    (folder / "link").symlink_to(tmp_path)
    (folder / "file").write_text("x")
    here = os.getcwd()
    try:
        os.chdir(folder)
        for number in range(1500):  # deeper than a path may be long, and than Python recurses
            os.mkdir(f"d{number}")
            os.chdir(f"d{number}")
        os.mkdir("closed")
        os.chmod("closed", 0)
    finally:
        os.chdir(here)
    server.empty(str(folder))
    assert not folder.exists()
    assert outside.read_text() == "stays"


def test_files_without_a_name_count_towards_the_quota(tmp_path):
    with tempfile.TemporaryFile(dir=tmp_path) as hidden, (tmp_path / "seen").open("wb") as seen:
        for file in (hidden, seen):
            file.write(b"x" * 100_000)
            file.flush()
        size, count = watch.usage(str(tmp_path))
        assert 100_000 <= size < 200_000
        assert count == 1
        before = watch.unnamed(os.getpid(), set(), 0)
        assert before >= 100_000
        known = {(os.fstat(hidden.fileno()).st_dev, os.fstat(hidden.fileno()).st_ino)}
        assert watch.unnamed(os.getpid(), known, 0) <= before - 100_000


def test_a_file_that_is_only_mapped_counts_as_the_largest_allowed(tmp_path):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    largest = 1 << 40
    with mmap.mmap(-1, 4096), (tmp_path / "file").open("w+b") as file:  # one is shared memory
        file.truncate(100_000)
        address = libc.mmap(None, 4096, 1, 1, file.fileno(), 0)
        assert watch.unnamed(os.getpid(), set(), largest) < largest  # it has a name
        (tmp_path / "file").unlink()
        assert watch.unnamed(os.getpid(), set(), largest) < largest  # it is open
        file.close()
        assert largest <= watch.unnamed(os.getpid(), set(), largest) < 2 * largest
        libc.munmap(address, 4096)
        assert watch.unnamed(os.getpid(), set(), largest) < largest


async def test_memory_maps_of_temporary_files_stay_possible(sandbox):
    body = (
        "import mmap, tempfile, time\n"
        "with tempfile.TemporaryFile() as file:\n"
        "    file.truncate(1 << 20)\n"
        "    with mmap.mmap(file.fileno(), 1 << 20) as area:\n"
        "        area[:5] = b'hello'\n"
        "        time.sleep(0.2)\n"
        "        return area[:5].decode()"
    )
    outcome = await sandbox.call(program(body), Call())
    assert outcome.value == "hello", outcome


def test_every_right_that_the_kernel_knows_is_taken_away():
    assert rules.handled(1) == ((1 << 13) - 1, 0, 0)
    assert rules.handled(3)[0] & (1 << 14)  # truncation
    assert rules.handled(4)[1] == 0b11  # ports
    assert rules.handled(6)[2] == 0b11  # abstract sockets and signals
    assert rules.handled(9) == rules.handled(6)


async def test_limits_are_data(sandbox):
    tight = Limits(memory_bytes=64 << 20)
    assert (await sandbox.call(ADD, Call(args=(1, 1)), limits=tight)).value == 2
    big = program("return len(bytearray(80 << 20))")
    assert (await sandbox.call(big, Call(), limits=tight)).failure is Failure.MEMORY
    assert (await sandbox.call(big, Call(), limits=STANDARD)).ok
    slow = program("import time\ntime.sleep(5)")
    short = Limits(wall_s=0.3)
    assert (await sandbox.call(slow, Call(), limits=short)).failure is Failure.TIMEOUT
