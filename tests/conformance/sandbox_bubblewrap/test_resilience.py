"""Servers that die, programs that are missing, rights that are not there: clear words, no leaks."""

import asyncio
import contextlib
import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest

from hammerstone.core.calls import Call, Failure, Limits, Program
from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox import open_backend_sandbox
from hammerstone.sandbox.bubblewrap import command, opening
from hammerstone.sandbox.cgroups import CgroupsUnavailable

ADD = Program("def f(x): return x + 1", "f")
WAIT = Program("import time\ndef f(x): time.sleep(x); return x", "f")


def _children() -> set[int]:
    """Every descendant of this process, zombies too."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
    found: set[int] = set()
    grown = {os.getpid()}
    while grown:
        grown = {pid for pid, parent in parents.items() if parent in grown}
        found |= grown
    return found


def _cgroups(sandbox) -> int:
    tree = sandbox._backend._tree
    prefix = tree._prefix
    return sum(len(list(parent.glob(f"{prefix}-*"))) for parent in set(tree.parents.values()))


def _fds() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


async def _settled(sandbox) -> None:
    """All servers started, all retired ones gone."""
    pool = sandbox._backend
    if pool._warming is not None:
        await pool._warming
    while pool._background:
        await asyncio.gather(*pool._background)
    for slot in pool._all:
        if slot._next is not None:
            await asyncio.wait([slot._next])


def _kill_servers(sandbox) -> None:
    for slot in sandbox._backend._all:
        slot.server.cgroup.kill()


async def test_a_server_killed_during_a_call_is_retried_once(sandbox):
    await _settled(sandbox)
    running = asyncio.create_task(sandbox.call(WAIT, Call(args=(0.5,))))
    await asyncio.sleep(0.2)
    _kill_servers(sandbox)
    outcome = await running
    assert outcome.value == 0.5, outcome


async def test_killed_twice_the_call_is_lost_and_says_so(sandbox):
    await _settled(sandbox)
    running = asyncio.create_task(sandbox.call(WAIT, Call(args=(30,))))
    while not running.done():
        await asyncio.sleep(0.3)
        _kill_servers(sandbox)
    outcome = running.result()
    assert outcome.failure is Failure.LOST
    assert outcome.error
    assert (await sandbox.call(ADD, Call(args=(1,)))).value == 2


async def test_a_matrix_survives_the_death_of_its_servers(sandbox):
    await _settled(sandbox)
    programs = [WAIT] * 3
    running = asyncio.create_task(sandbox.matrix(programs, [Call(args=(0.2,))] * 3))
    await asyncio.sleep(0.3)
    _kill_servers(sandbox)
    rows = await running
    assert [[outcome.value for outcome in row] for row in rows] == [[0.2] * 3] * 3


async def test_a_full_disk_is_a_lost_call_and_passes(monkeypatch, sandbox, tmp_path):
    await _settled(sandbox)
    data = tmp_path / "data"
    data.write_text("x")

    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    from hammerstone.sandbox import stage

    with monkeypatch.context() as patch:
        patch.setattr(stage.shutil, "copyfile", full)
        patch.setattr(stage.tempfile, "mkdtemp", full)
        outcome = await sandbox.call(ADD, Call(args=(1,)), files={"data": data})
        assert outcome.failure is Failure.LOST
        assert "No space left" in outcome.error
    assert (await sandbox.call(ADD, Call(args=(1,)), files={"data": data})).value == 2


@pytest.mark.timeout(180)
async def test_hundreds_of_calls_leave_nothing_behind(sandbox):
    bad = [
        "import os\ndef f(x): os._exit(1)",
        "def f(x): raise ValueError",
        "def f(x",
        "import os\ndef f(x): os.write(3, b'y' * 50)",
        "import os, time\ndef f(x):\n    if os.fork() == 0: time.sleep(99)\n    return x",
        "def f(x):\n    while True: pass",
    ]
    await _settled(sandbox)
    await asyncio.gather(*(sandbox.call(ADD, Call(args=(n,))) for n in range(20)))
    await _settled(sandbox)
    before = (_fds(), len(_children()), _cgroups(sandbox))
    for batch in range(10):
        good = [sandbox.call(ADD, Call(args=(n,))) for n in range(26)]
        program = Program(bad[batch % len(bad)], "f")
        mixed = [sandbox.call(program, Call(args=(1,)), limits=Limits(wall_s=0.5))] * 1
        outcomes = await asyncio.gather(*good, *mixed)
        assert [outcome.value for outcome in outcomes[:26]] == list(range(1, 27))
    await _settled(sandbox)
    assert (_fds(), len(_children()), _cgroups(sandbox)) == before


async def test_closing_leaves_no_process_descriptor_or_cgroup(settings):
    children, fds = _children(), _fds()
    sandbox = await open_backend_sandbox("bubblewrap", settings, prove=False)
    running = asyncio.create_task(sandbox.call(WAIT, Call(args=(30,))))
    await asyncio.sleep(0.2)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await sandbox.close()
    assert _cgroups(sandbox) == 0
    assert _children() <= children
    assert _fds() <= fds


async def test_closing_in_the_midst_of_calls_ends_their_guests_and_leaves_nothing(settings):
    before_fds, before_children = _fds(), _children()
    sandbox = await open_backend_sandbox("bubblewrap", settings, prove=False)
    calls = [asyncio.create_task(sandbox.call(WAIT, Call(args=(30,)))) for _ in range(2)]
    await asyncio.sleep(0.5)  # both are in their guests
    calls[0].cancel()
    await sandbox.close()
    cancelled, lost = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert lost.failure is Failure.LOST
    assert _children() == before_children
    assert _fds() == before_fds


async def test_a_closed_sandbox_starts_nothing(settings):
    children = _children()
    sandbox = await open_backend_sandbox("bubblewrap", settings, prove=False)
    await sandbox.close()
    outcome = await sandbox.call(WAIT, Call(args=(0,)))
    assert outcome.failure == "lost"
    assert "closed" in outcome.error
    assert _children() <= children


async def test_without_bubblewrap_it_is_refused_with_the_fix(monkeypatch, settings):
    monkeypatch.setattr(command.shutil, "which", lambda *_, **__: None)
    with pytest.raises(SandboxRefused) as caught:
        await open_backend_sandbox("bubblewrap", settings)
    assert "apt-get install bubblewrap" in caught.value.hint


@pytest.fixture
def fake_bwrap(monkeypatch):
    """A bubblewrap that only complains; in a folder that any uid may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "bwrap"

        def complain(text: str) -> None:
            program.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 1\n")
            program.chmod(0o755)
            monkeypatch.setattr(command, "find_bwrap", lambda: str(program))

        yield complain


@pytest.mark.parametrize(
    ("complaint", "hint"),
    [
        ("bwrap: Unknown option --size", "doctor"),
        (
            "bwrap: No permissions to create new namespace, likely because the kernel does not "
            "allow non-privileged user namespaces.",
            "user namespaces",
        ),
    ],
    ids=["too old", "user namespaces forbidden"],
)
async def test_a_bubblewrap_that_cannot_work_is_refused(fake_bwrap, settings, complaint, hint):
    fake_bwrap(complaint)
    with pytest.raises(SandboxRefused) as caught:
        await open_backend_sandbox("bubblewrap", settings)
    assert complaint.split(",")[0] in caught.value.message
    assert hint in caught.value.hint


async def test_without_rights_to_cgroups_it_is_refused_with_the_fix(monkeypatch, settings):
    def nothing():
        raise CgroupsUnavailable("Permission denied")

    monkeypatch.setattr(opening, "find_tree", nothing)
    with pytest.raises(SandboxRefused) as caught:
        await open_backend_sandbox("bubblewrap", settings)
    assert "cgroup" in caught.value.message
    assert "chown" in caught.value.hint or "Delegate" in caught.value.hint


async def test_a_filter_that_lets_something_through_fails_the_self_test(
    monkeypatch, settings, tmp_path
):
    """The proof is a proof: with a filter that allows all, opening is refused."""
    from hammerstone.sandbox.bubblewrap import pool

    allow_all = (0x06).to_bytes(2, "little") + bytes(2) + (0x7FFF0000).to_bytes(4, "little")
    compiled = tmp_path / "allow-all.bpf"
    compiled.write_bytes(allow_all)
    monkeypatch.setattr(pool, "filter_path", lambda profile: compiled)
    with pytest.raises(SandboxRefused) as caught:
        await open_backend_sandbox("bubblewrap", settings.model_copy(update={"data_dir": tmp_path}))
    assert "self-test" in caught.value.message
    assert caught.value.data["breaches"]


async def test_the_self_test_is_remembered_for_this_boot(settings, tmp_path):
    own = settings.model_copy(update={"data_dir": tmp_path})
    sandbox = await open_backend_sandbox("bubblewrap", own)
    first = sandbox._backend._all
    assert sum(slot.used for slot in first) > 10
    await sandbox.close()
    sandbox = await open_backend_sandbox("bubblewrap", own)
    assert sum(slot.used for slot in sandbox._backend._all) <= 2
    await sandbox.close()


async def test_a_host_killed_hard_takes_its_guests_along(settings):
    """Nothing of a sandbox outlives the process that opened it."""
    import subprocess
    import sys

    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from hammerstone.core.calls import Call, Program\n"
        "from hammerstone.core.settings import Settings\n"
        "from hammerstone.sandbox import open_backend_sandbox\n"
        "async def main():\n"
        f"    settings = Settings(data_dir=Path({str(settings.data_dir)!r}))\n"
        "    sandbox = await open_backend_sandbox('bubblewrap', settings, prove=False)\n"
        "    program = Program('import time\\ndef f(): time.sleep(60)', 'f')\n"
        "    task = asyncio.create_task(sandbox.call(program, Call()))\n"
        "    await asyncio.sleep(0.3)\n"
        "    pool = sandbox._backend\n"
        "    print(*[p for s in pool._all for p in\n"
        "        (s.server.cgroup._folders['pids'] / 'cgroup.procs').read_text().split()]\n"
        "        if hasattr(next(iter(pool._all)).server.cgroup, '_folders') else\n"
        "        [p for s in pool._all for p in\n"
        "        (s.server.cgroup._folder / 'cgroup.procs').read_text().split()], flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    host = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    pids = [int(pid) for pid in (await asyncio.to_thread(host.stdout.readline)).split()]
    assert len(pids) >= 3
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    for _ in range(100):
        alive = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not alive:
            break
        await asyncio.sleep(0.05)
    assert alive == []
