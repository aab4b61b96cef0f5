"""The parts of the container backend that need no daemon."""

import asyncio
import json
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker.errors
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.core.calls import HEAVY, STANDARD
from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.sandbox.container.engine import translated
from hammerstone.sandbox.container.image import image_name
from hammerstone.sandbox.container.options import (
    Engine,
    gaps_of,
    hidden_paths,
    host_options,
    seccomp_json,
)
from hammerstone.sandbox.container.stream import AttachedStream
from hammerstone.sandbox.runtime import Runtime
from hammerstone.sandbox.seccomp.allow_list import ALLOWED, PRETEND_MISSING

DOCKER = Engine("{}")
PODMAN = Engine("/profile.json", counts_inodes=False, masks_by_option=True)


def test_the_profile_allows_the_shared_list_and_nothing_that_opens_a_door():
    profile = json.loads(seccomp_json())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    free = set()
    for rule in profile["syscalls"]:
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule["args"]:
            free |= set(rule["names"])
    assert free >= ALLOWED
    assert free - ALLOWED == {"capset", "setgid", "setgroups", "setuid"}
    doors = {"unshare", "setns", "mount", "ptrace", "keyctl", "bpf", "io_uring_setup", "socket"}
    assert not free & (doors | PRETEND_MISSING)


@pytest.mark.parametrize("limits", [STANDARD, HEAVY])
@pytest.mark.parametrize("engine", [DOCKER, PODMAN])
def test_every_control_is_in_the_options(limits, engine):
    options = host_options(limits, Path("/some/files"), engine)
    assert options["network_mode"] == "none"
    assert options["read_only"] is True
    assert options["cap_drop"] == ["ALL"]
    assert "no-new-privileges" in options["security_opt"]
    assert f"seccomp={engine.seccomp}" in options["security_opt"]
    assert options["pids_limit"] == limits.processes
    assert options["mem_limit"] == options["memswap_limit"] == limits.memory_bytes
    assert options["cpu_shares"] < 1024
    assert options["cpu_quota"] / options["cpu_period"] == limits.cpu_share
    assert f"size={limits.tmp_bytes}" in options["tmpfs"]["/tmp"]
    assert ("nr_inodes" in options["tmpfs"]["/tmp"]) is engine.counts_inodes
    assert options["binds"] == {"/some/files": {"bind": "/files", "mode": "ro"}}
    assert "runtime" not in options
    assert host_options(limits, None, Engine("{}", runtime="runsc"))["runtime"] == "runsc"


def test_the_kernels_command_line_is_hidden_by_either_engine():
    podman = host_options(STANDARD, None, PODMAN)["security_opt"]
    assert "mask=/proc/cmdline" in podman
    assert not hidden_paths(PODMAN)
    docker = hidden_paths(DOCKER)["MaskedPaths"]
    assert "/proc/cmdline" in docker and "/proc/kcore" in docker
    assert not any("mask=" in each for each in host_options(STANDARD, None, DOCKER)["security_opt"])


def test_gaps_depend_on_the_engine():
    assert gaps_of(DOCKER) == {}
    assert list(gaps_of(PODMAN)) == ["memory.tmp_inodes"]


def test_an_image_is_named_after_what_is_in_it():
    one = Runtime(Path("/r/base-1"), Path("/r/guest-1"))
    two = Runtime(Path("/r/base-1"), Path("/r/guest-2"))
    with_packages = Runtime(Path("/r/base-1"), Path("/r/guest-1"), Path("/r/packages-1"))
    names = {image_name("hammerstone-sandbox", runtime) for runtime in (one, two, with_packages)}
    assert len(names) == 3
    assert image_name("host:5000/name:tag", one).startswith("host:5000/name-")


def test_errors_of_the_daemon_become_ours():
    class Response:
        status_code = 404
        reason = "Not Found"

    with pytest.raises(SandboxRefused), translated("try"):
        raise docker.errors.APIError("no", response=Response(), explanation="no such thing")
    with pytest.raises(SandboxLost), translated("try"):
        raise docker.errors.DockerException("gone")
    with pytest.raises(SandboxLost), translated("try"):
        raise ConnectionRefusedError


@settings(max_examples=40, deadline=None)
@given(
    frames=st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8),
    cuts=st.lists(st.integers(1, 30), min_size=1, max_size=20),
)
def test_frames_survive_any_way_of_being_cut(frames, cuts):
    raw = b"".join(struct.pack(">BxxxI", number, len(body)) + body for number, body in frames)
    out, err = asyncio.run(_through_a_socket(raw, cuts))
    assert out == b"".join(body for number, body in frames if number == 1)
    assert err == b"".join(body for number, body in frames if number == 2)


async def _through_a_socket(raw, cuts):
    ours, theirs = socket.socketpair()
    with ThreadPoolExecutor(1) as threads, theirs:
        stream = AttachedStream(ours, threads)

        async def feed():
            position = 0
            for number in range(len(raw)):
                piece = raw[position : position + cuts[number % len(cuts)]]
                theirs.sendall(piece)
                position += len(piece)
                await asyncio.sleep(0)
            theirs.sendall(raw[position:])
            theirs.shutdown(socket.SHUT_WR)

        feeding = asyncio.create_task(feed())
        out = b""
        while piece := await stream.receive():
            out += piece
        await feeding
        complaints = stream.complaints
        stream.close()
    return out, complaints
