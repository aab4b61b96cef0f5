"""Every limit and control of one container, system calls too, as container engines take them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker.types

from hammerstone.core.calls import Limits
from hammerstone.sandbox.guest.harness import OPEN_FILES
from hammerstone.sandbox.runtime.layers import ENVIRONMENT, START
from hammerstone.sandbox.seccomp.allow_list import (
    AF_UNIX,
    ALLOWED,
    IOCTLS,
    NEW_NAMESPACES,
    PERSONALITY_QUERY,
    PRETEND_MISSING,
)

USER = "65534:65534"
_PERIOD_US = 100_000
CPU_SHARES = 512  # of 1024: a person's model goes before generated code
_HIDDEN = "/proc/cmdline"  # the kernel's: it may hold what only the machine's owner should know
# What Docker hides by itself; whoever names paths has to name these too.
_USUALLY_HIDDEN = (
    *("/proc/asound", "/proc/acpi", "/proc/interrupts", "/proc/kcore", "/proc/keys"),
    *("/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug"),
    *("/proc/scsi", "/sys/firmware", "/sys/devices/virtual/powercap"),
)
_NAMES_INSIDE = {"hostname": "sandbox", "working_dir": "/tmp", "user": USER}  # noqa: S108
# By the name of the probe that shows it.
_NO_INODE_LIMIT = {
    "memory.tmp_inodes": (
        "Podman takes no limit on the number of files in a tmpfs; their memory counts against "
        "the container's, so they end there"
    ),
}


def command(python: str) -> list[str]:
    return [python, "-I", "-S", "-B", START]


def container_options(image: str, python: str, label: str) -> dict[str, Any]:
    """What the container is; `host_options` says what it may."""
    return {
        "image": image,
        "command": command(python),
        "environment": ENVIRONMENT,
        "stdin_open": True,
        "network_disabled": True,
        "labels": {"hammerstone.sandbox": label},
        **_NAMES_INSIDE,
    }


@dataclass(frozen=True, slots=True)
class Engine:
    """What differs from engine to engine."""

    seccomp: str  # the profile itself, or where the daemon finds it
    counts_inodes: bool = True  # takes a limit on the number of files in a tmpfs
    runtime: str | None = None  # its name for gVisor and the like
    masks_by_option: bool = False  # Podman's way to hide a path; Docker takes a list of them


def host_options(limits: Limits, files: Path | None, engine: Engine) -> dict[str, Any]:
    """The controls of docs/design/sandbox.md, for the container's whole process tree."""
    caps = {"core": 0, "nofile": OPEN_FILES, "fsize": limits.file_bytes, "memlock": 0}
    # Counted over all containers of the user, so not the limit itself: Podman would otherwise
    # raise it, which a daemon without that right cannot. The limit is `pids_limit`.
    caps["nproc"] = 4096
    options: dict[str, Any] = {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={engine.seccomp}"],
        "pids_limit": limits.processes,
        "mem_limit": limits.memory_bytes,
        "memswap_limit": limits.memory_bytes,
        "cpu_shares": CPU_SHARES,
        "cpu_period": _PERIOD_US,
        "cpu_quota": max(1000, int(_PERIOD_US * limits.cpu_share)),
        "ipc_mode": "private",
        "shm_size": 8 << 20,
        "tmpfs": {"/tmp": _tmp_options(limits, engine)},  # noqa: S108 - the container's own
        "ulimits": [docker.types.Ulimit(name=n, soft=v, hard=v) for n, v in caps.items()],
        "log_config": docker.types.LogConfig(type="none"),
        "oom_score_adj": 1000,
    }
    if engine.masks_by_option:
        options["security_opt"].append(f"mask={_HIDDEN}")
    if files is not None:
        options["binds"] = {str(files): {"bind": "/files", "mode": "ro"}}
    if engine.runtime:
        options["runtime"] = engine.runtime
    return options


def hidden_paths(engine: Engine) -> dict[str, list[str]]:
    """What the SDK has no name for yet, as the daemon takes it."""
    return {} if engine.masks_by_option else {"MaskedPaths": [*_USUALLY_HIDDEN, _HIDDEN]}


def _tmp_options(limits: Limits, engine: Engine) -> str:
    options = ["rw", "nosuid", "nodev", "noexec", "mode=1777", f"size={limits.tmp_bytes}"]
    if engine.counts_inodes:
        options.append(f"nr_inodes={limits.tmp_inodes}")
    return ",".join(options)


def gaps_of(engine: Engine) -> Mapping[str, str]:
    """What this backend cannot do, and why."""
    return {} if engine.counts_inodes else _NO_INODE_LIMIT


_EPERM, _ENOSYS = 1, 38
# What the engine's own starter does after it has put the filter on.
_FOR_THE_STARTER = ("capset", "setgid", "setgroups", "setuid")


def _rule(
    names: list[str], *conditions: dict[str, Any], errno: int | None = None
) -> dict[str, Any]:
    rule: dict[str, Any] = {"names": names, "action": "SCMP_ACT_ALLOW", "args": list(conditions)}
    return rule if errno is None else {**rule, "action": "SCMP_ACT_ERRNO", "errnoRet": errno}


def _equal(index: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": value, "valueTwo": 0, "op": "SCMP_CMP_EQ"}


def _masked(index: int, mask: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def seccomp_profile() -> dict[str, Any]:
    """Everything that the compiled filter of the other backends allows, and nothing else."""
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": _EPERM,
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": [
            _rule(sorted({*ALLOWED, *_FOR_THE_STARTER})),
            _rule(sorted(PRETEND_MISSING), errno=_ENOSYS),
            _rule(["clone"], _masked(0, NEW_NAMESPACES, 0)),
            _rule(["socket", "socketpair"], _equal(0, AF_UNIX)),
            _rule(["prlimit64"], _equal(0, 0)),
            *(_rule(["ioctl"], _equal(1, number)) for number in sorted(IOCTLS.values())),
            *(_rule(["personality"], _equal(0, value)) for value in (0, PERSONALITY_QUERY)),
        ],
    }


def seccomp_json() -> str:
    return json.dumps(seccomp_profile(), sort_keys=True)
