"""The shared list of system calls as the JSON profile that container engines read."""

import json
from typing import Any

from hammerstone.sandbox.seccomp.allow_list import (
    AF_UNIX,
    ALLOWED,
    IOCTLS,
    NEW_NAMESPACES,
    PERSONALITY_QUERY,
    PRETEND_MISSING,
)

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
