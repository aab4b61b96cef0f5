"""Every trap that an earlier sandbox fell into, sprung on purpose."""

import asyncio
import os
import socket

import pytest

from hammerstone.core.calls import Call, Failure, Limits, Program
from hammerstone.sandbox.bubblewrap import slot as slot_module
from hammerstone.sandbox.bubblewrap.cold import ColdBubblewrap
from hammerstone.sandbox.bubblewrap.command import uid_for
from hammerstone.sandbox.bubblewrap.opening import cgroup_tree
from hammerstone.sandbox.opening import slots_of
from hammerstone.sandbox.runtime import packages_present, prepare_runtime
from hammerstone.sandbox.sandbox import GuestSandbox
from tests.conformance.sandbox_bubblewrap.conftest import Run

ENVIRONMENTS = """
import glob, os
def f():
    seen = repr(dict(os.environ))
    for path in glob.glob("/proc/[0-9]*/environ") + ["/proc/self/environ"]:
        try:
            seen += open(path).read()
        except OSError:
            pass
    return seen
"""


@pytest.fixture
async def cold(settings, sandbox):
    """The fallback: one bubblewrap for each call."""
    opened = GuestSandbox(ColdBubblewrap(await prepare_runtime(settings), cgroup_tree(), 2))
    yield opened
    await opened.close()


async def test_environment_does_not_leak_warm_or_cold(monkeypatch, settings, cold, run):
    assert "SANDBOX_TEST_SECRET" not in os.environ
    monkeypatch.setenv("SANDBOX_TEST_SECRET", "hunter2")
    for one in (run, Run(cold)):
        outcome = await one(ENVIRONMENTS)
        assert outcome.ok, outcome
        assert "PATH" in outcome.value
        assert "hunter2" not in outcome.value and os.environ["PATH"] not in outcome.value


async def test_root_is_not_root_outside_either(run):
    outcome = await run("def f(): return open('/proc/self/uid_map').read().split()[:2]")
    inside, outside = map(int, outcome.value)
    assert inside != 0
    assert outside == (os.getuid() or outside) != 0


async def test_nothing_of_the_hosts_root_is_there(run):
    outcome = await run("import os\ndef f(): return sorted(os.listdir('/')), os.listdir('/etc')")
    folders, etc = outcome.value["$tuple"]
    known = {"dev", "etc", "files", "lib", "lib64", "opt", "proc", "stage", "tmp", "usr"}
    assert set(folders) <= known
    assert sorted(etc) == ["group", "passwd"]


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_NETLINK", "AF_INET", "AF_INET6", "AF_PACKET"])
async def test_sockets_that_a_network_namespace_does_not_cover(run, family):
    number = int(getattr(socket, family))
    outcome = await run(
        f"import socket\ndef f(): socket.socket({number}, 3 if {number}==17 else 1)"
    )
    assert (outcome.failure, outcome.error_type) == (Failure.RAISED, "PermissionError")


async def test_process_limits_are_not_shared_between_sandboxes(sandbox):
    code = (
        "import os, time\ndef f(n):\n    for _ in range(n):\n        if os.fork() == 0:\n"
        "            time.sleep(2); os._exit(0)\n    time.sleep(0.3)\n    return n\n"
    )
    program = Program(code, "f")
    both = await asyncio.gather(*(sandbox.call(program, Call(args=(25,))) for _ in range(2)))
    assert [outcome.value for outcome in both] == [25, 25]
    alone = await sandbox.call(program, Call(args=(40,)))
    assert (alone.failure, alone.error_type) == (Failure.RAISED, "BlockingIOError")


MEMORY = {
    "allocation": "def f(): return len(bytearray(150 << 20))",
    "children": (
        "import os, time\ndef f():\n    for _ in range(8):\n        if os.fork() == 0:\n"
        "            x = bytearray(20 << 20); time.sleep(1); os._exit(0)\n    time.sleep(0.8)\n"
    ),
    "shared mapping": (
        "import mmap\ndef f():\n    m = mmap.mmap(-1, 150 << 20)\n    m.write(b'x' * len(m))\n"
    ),
}


@pytest.mark.parametrize("how", MEMORY)
async def test_memory_is_capped_for_the_whole_tree(run, how):
    limits = Limits(memory_bytes=64 << 20, wall_s=10)
    outcome = await run(MEMORY[how], limits=limits)
    assert outcome.failure is Failure.MEMORY, outcome
    assert outcome.use.peak_memory_bytes <= 80 << 20
    assert (await run("def f(): return 1")).value == 1


async def test_a_killed_child_spoils_the_parents_answer(run):
    code = (
        "import os\ndef f():\n    pid = os.fork()\n    if pid == 0:\n"
        "        bytearray(200 << 20); os._exit(0)\n    os.waitpid(pid, 0)\n    return 'fine'\n"
    )
    outcome = await run(code, limits=Limits(memory_bytes=64 << 20))
    assert outcome.failure is Failure.MEMORY


async def test_devices_cannot_be_written_and_shm_is_small(run):
    code = (
        "import os\ndef f():\n    done = []\n"
        "    for path in ('/dev/x', '/dev/shm/../y', '/opt/x', '/x', '/files/x', '/stage/x'):\n"
        "        try:\n            open(path, 'w'); done.append(path)\n"
        "        except OSError: pass\n"
        "    total = 0\n    try:\n        with open('/dev/shm/a', 'wb') as file:\n"
        "            while total < 64 << 20:\n                total += file.write(bytes(1 << 20))\n"
        "    except OSError: pass\n    return done, total\n"
    )
    written, total = (await run(code)).value["$tuple"]
    assert written == []
    assert 0 < total <= 9 << 20


async def test_tmp_is_fresh_private_and_capped(run):
    fill = (
        "def f():\n    n = 0\n    try:\n"
        "        while n < 10000:\n            open(f'/tmp/{n}', 'w').close(); n += 1\n"
        "    except OSError: pass\n    return n\n"
    )
    assert 10 < (await run(fill, limits=Limits(tmp_inodes=100))).value < 100
    assert (await run("import os\ndef f(): return os.listdir('/tmp')")).value == ["out"]
    big = (
        "def f():\n    n = 0\n    try:\n        with open('/tmp/big', 'wb') as file:\n"
        "            while n < 64 << 20: n += file.write(bytes(1 << 20))\n"
        "    except OSError: pass\n    return n\n"
    )
    assert (await run(big, limits=Limits(tmp_bytes=4 << 20))).value <= 4 << 20
    assert (await run(big, limits=Limits(file_bytes=2 << 20))).value <= 2 << 20


async def test_python_is_relocated_and_names_no_path_of_the_host(run):
    outcome = await run("import sys\ndef f(): return [sys.prefix, sys.executable, *sys.path]")
    assert outcome.value[0] == "/opt/python"
    assert all(path.startswith("/opt/") for path in outcome.value)


async def test_random_numbers_differ_from_call_to_call(run):
    code = "import random\ndef f(): return random.random()"
    values = [(await run(code)).value for _ in range(6)]
    assert len(set(values)) == 6


async def test_numpy_is_there_single_threaded_and_reseeded(settings, run):
    if not packages_present(settings):
        pytest.skip("cannot run here: run `hammerstone sandbox setup` first")
    code = (
        "import os\nimport numpy as np\n"
        "def f(): return float(np.random.rand()), len(os.listdir('/proc/self/task'))\n"
    )
    outcomes = [await run(code) for _ in range(3)]
    pairs = [outcome.value["$tuple"] for outcome in outcomes]
    assert len({number for number, _ in pairs}) == 3
    assert {threads for _, threads in pairs} == {1}


async def test_servers_are_recycled_and_leave_nothing(monkeypatch, sandbox, run):
    monkeypatch.setattr(slot_module, "RECYCLE_AFTER", 2)
    pool = sandbox._backend
    for number in range(12):
        assert (await run("def f(x): return x", number)).value == number
    assert pool._numbers >= 6
    await asyncio.gather(*pool._background)
    assert len(pool._all) <= pool.slots


async def test_state_does_not_reach_the_next_call(run):
    dirty = (
        "import builtins, os, sys, json\n"
        "def f():\n    builtins.len = lambda x: 42\n    json.loads = None\n"
        "    sys.modules['evil'] = json\n    os.environ['EVIL'] = '1'\n"
        "    open('/tmp/evil', 'w').write('x')\n"
    )
    clean = (
        "import os, sys, json\n"
        "def f(): return [len([]), json.loads('1'), 'evil' in sys.modules, "
        "'EVIL' in os.environ, os.path.exists('/tmp/evil')]\n"
    )
    for _ in range(5):  # more than there are slots
        await run(dirty)
    for _ in range(5):
        assert (await run(clean)).value == [0, 1, False, False, False]


def test_there_are_two_slots_for_each_core(settings):
    assert slots_of(settings) >= 2 * len(os.sched_getaffinity(0))


async def test_slots_take_turns(sandbox, run):
    """Half a core is half of each tenth of a second: the same slot again may have to wait."""
    pool = sandbox._backend
    if pool._warming is not None:
        await pool._warming
    for _ in range(2 * pool.slots):
        await run("def f(): return 1")
    assert {slot.used > 1 for slot in pool._all} == {True}


def test_with_a_single_mapped_uid_root_stays_what_it_is(monkeypatch):
    from hammerstone.sandbox.bubblewrap import command

    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(command.Path, "read_text", lambda self: "0 100000 1\n")
    assert uid_for(3) is None
    monkeypatch.setattr(command.Path, "read_text", lambda self: "0 0 4294967295\n")
    assert uid_for(3) == command.FIRST_UID + 3


async def test_cpu_is_half_a_core(run):
    code = (
        "import time\ndef f():\n    end = time.time() + 1\n    while time.time() < end: pass\n"
        "    return time.process_time()\n"
    )
    outcome = await run(code)
    assert outcome.value < 0.75
    assert 0 < outcome.use.cpu_s < 0.85
