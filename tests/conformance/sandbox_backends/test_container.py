"""The container backend against a real Podman: attacks, limits, files, what it leaves behind."""

import asyncio
import time

import docker
import pytest

from hammerstone.core.calls import Call, Failure, Limits, Program
from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import load_settings
from hammerstone.sandbox.conformance import run_probes
from hammerstone.sandbox.opening import open_backend_sandbox
from tests.conformance.sandbox_backends.podman_service import podman_service

ADD = Program("def add(a, b):\n    return a + b\n", "add")
# At least one for each limit and for each way out that a container has.
# `hammerstone sandbox check` runs them all; a container for each takes about a minute.
ATTACKS = {
    "files.read_host_tmp",
    "files.change_input",
    "files.read_kernel_command",
    "network.unix_abstract",
    "network.vsock",
    "processes.fork_bomb",
    "processes.kill",
    "processes.read_environment",
    "memory.allocation",
    "memory.memory_by_forks",
    "memory.tmp_bytes",
    "memory.tmp_inodes",
    "memory.tmp_mapped",
    "memory.cpu_share",
    "privileges.setuid",
    "privileges.filters_are_on",
    "privileges.unshare",
    "privileges.keyrings",
    "channel.exit_zero",
    "state.leftover_files",
    "results.huge_value",
    "results.same_hash",
}


@pytest.fixture(scope="module")
def podman():
    with podman_service() as address:
        yield address


@pytest.fixture
async def sandbox(podman, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", podman)
    settings = load_settings(data_dir=tmp_path, sandbox_slots=4)
    opened = await open_backend_sandbox("container", settings, prove=False)
    yield opened
    await opened.close()


def containers(address):
    client = docker.DockerClient(base_url=address)
    try:
        return client.containers.list(all=True)
    finally:
        client.close()


async def test_attacks_are_contained_but_the_named_gap(sandbox, podman):
    report = await run_probes(sandbox, only=ATTACKS)
    assert not report.breaches, report.breaches
    failed = {result.name for result in report.probes if not result.contained}
    assert failed == set(sandbox.known_gaps) == {"memory.tmp_inodes"}
    assert containers(podman) == []


async def test_calls_files_and_artifacts(sandbox, tmp_path):
    given = tmp_path / "in.txt"
    given.write_text("seven")
    copy = Program(
        "def run(path):\n"
        "    text = open(path).read()\n"
        "    open('/tmp/out/copy.txt', 'w').write(text)\n"
        "    print('said')\n"
        "    return len(text)\n",
        "run",
    )
    outcome = await sandbox.call(copy, Call(args=("/files/in.txt",)), files={"in.txt": given})
    assert (outcome.value, outcome.stdout, outcome.backend) == (5, "said\n", "container"), outcome
    assert [(a.name, a.content) for a in outcome.artifacts] == [("copy.txt", b"seven")]
    rows = await sandbox.matrix([ADD, ADD], [Call(args=(n, 1)) for n in range(3)])
    assert [[outcome.value for outcome in row] for row in rows] == [[1, 2, 3]] * 2


async def test_what_stopped_it_is_named(sandbox):
    greedy = Program("def run():\n    return len(bytearray(b'x') * (300 << 20))\n", "run")
    assert (await sandbox.call(greedy, Call())).failure is Failure.MEMORY
    endless = Program("def run():\n    while True: pass\n", "run")
    outcome = await sandbox.call(endless, Call(), limits=Limits(wall_s=1.0))
    assert outcome.failure is Failure.TIMEOUT
    gone = Program("def run():\n    import os\n    os._exit(0)\n", "run")
    assert (await sandbox.call(gone, Call())).failure is Failure.CRASHED


async def test_cancelling_removes_the_container(sandbox, podman):
    slow = Program("def run():\n    import time\n    time.sleep(60)\n", "run")
    call = asyncio.create_task(sandbox.call(slow, Call()))
    until = time.monotonic() + 20
    while not any(one.status == "running" for one in containers(podman)):
        assert time.monotonic() < until
        await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert containers(podman) == []


async def test_no_daemon_is_a_refusal_with_a_fix(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(SandboxRefused) as refusal:
        await open_backend_sandbox("container", load_settings(data_dir=tmp_path))
    assert "podman system service" in refusal.value.hint
