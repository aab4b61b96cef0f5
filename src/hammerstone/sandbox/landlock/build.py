"""Compiles the filter: `python -m hammerstone.sandbox.landlock.build` rewrites the .bpf files.

Starts from the list that every backend shares, and takes away whatever would make a second
process, reach one, or change a file past Landlock, which does not govern modes, owners, times
and, before its third version, truncation. Needs pyseccomp, which the product itself does not.
"""

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox.seccomp.allow_list import (
    AF_UNIX,
    ALLOWED,
    IOCTLS,
    NEW_NAMESPACES,
    PERSONALITY_QUERY,
    PRETEND_MISSING,
    SOCKETS,
)

MACHINES = {"x86_64": "X86_64", "aarch64": "AARCH64"}

_NO_OTHER_PROCESS = """
fork vfork execve execveat kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo setpgid setsid
"""
_PAST_LANDLOCK = "chown fchown lchown fchownat truncate openat2 open openat"
_ONLY_SOME_USES = "fcntl prctl"
# Answered with success and not done: copying a file with its mode and times is common and
# harmless, and must not fail where it cannot be allowed.
SWALLOWED = frozenset(
    {"chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes", "utimensat", "futimesat"}
)
# Of a connected pair, which event loops wake themselves with; nothing that takes an address,
# passes descriptors, or turns a pair into something else.
_PAIR = ["sendto", "recvfrom", "shutdown", "getsockopt", "getsockname", "getpeername"]

REFUSED = frozenset(f"{_NO_OTHER_PROCESS} {_PAST_LANDLOCK} {_ONLY_SOME_USES} {SOCKETS}".split())
CLONE_THREAD = 0x10000
SOCK_STREAM, SOCK_TYPE_MASK = 1, 0xF
O_ACCMODE, O_TRUNC = 0x3, 0x200
# Duplicates, flags, locks, the size of a pipe, seals. Not F_SETOWN and F_SETSIG: with them a
# descriptor sends any signal to any process of the same user.
FCNTLS = (*range(8), 36, 37, 38, 1030, 1032, 1033, 1034)
# Names, and questions about oneself. Not PR_SET_PDEATHSIG, by which a guest dies with its server,
# and not PR_SET_DUMPABLE, by which the watcher may look into its descriptors.
PRCTLS = (2, 3, 15, 16, 21, 23, 30, 39)


def filter_path(machine: str | None = None) -> Path:
    """The compiled filter for this machine's processor."""
    name = machine or os.uname().machine
    path = Path(__file__).parent / f"single-{name}.bpf"
    if machine is None and not path.exists():
        raise SandboxRefused(
            f"there is no system call filter for {name}",
            hint="x86_64 and aarch64 are supported; use the container backend elsewhere",
        )
    return path


def compile_filter(machine: str) -> bytes:
    """The profile of a process that stays alone, as BPF for `machine`."""
    import pyseccomp as seccomp

    rules: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    native, wanted = seccomp.system_arch(), getattr(seccomp.Arch, MACHINES[machine])
    if native != wanted:
        rules.add_arch(wanted)
        rules.remove_arch(native)

    def add(action: Any, name: str, *conditions: Any) -> None:
        try:
            rules.add_rule(action, name, *conditions)
        except OSError as error:  # that processor family never had the call
            if error.errno not in (errno.EDOM, errno.EINVAL):
                raise

    for name in sorted((ALLOWED - REFUSED - SWALLOWED) | set(_PAIR)):
        add(seccomp.ALLOW, name)
    for name in sorted(PRETEND_MISSING | {"openat2"}):
        add(seccomp.ERRNO(errno.ENOSYS), name)
    for name in sorted(SWALLOWED):
        add(seccomp.ERRNO(0), name)
    _add_conditions(seccomp, add)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add_conditions(seccomp: Any, add: Any) -> None:
    mask = CLONE_THREAD | NEW_NAMESPACES
    add(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, mask, CLONE_THREAD))
    add(
        seccomp.ALLOW,
        "socketpair",
        seccomp.Arg(0, seccomp.EQ, AF_UNIX),
        seccomp.Arg(1, seccomp.MASKED_EQ, SOCK_TYPE_MASK, SOCK_STREAM),
    )
    # Opening for reading and emptying at once would empty a file that may only be read.
    for name, position in (("open", 1), ("openat", 2)):
        for flag, value in ((O_TRUNC, 0), (O_ACCMODE, os.O_WRONLY), (O_ACCMODE, os.O_RDWR)):
            add(seccomp.ALLOW, name, seccomp.Arg(position, seccomp.MASKED_EQ, flag, value))
    for command in FCNTLS:
        add(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.EQ, command))
    for option in PRCTLS:
        add(seccomp.ALLOW, "prctl", seccomp.Arg(0, seccomp.EQ, option))
    add(seccomp.ALLOW, "prlimit64", seccomp.Arg(0, seccomp.EQ, 0))
    for number in sorted(IOCTLS.values()):
        add(seccomp.ALLOW, "ioctl", seccomp.Arg(1, seccomp.EQ, number))
    for value in (0, PERSONALITY_QUERY):
        add(seccomp.ALLOW, "personality", seccomp.Arg(0, seccomp.EQ, value))


def main() -> None:
    for machine in MACHINES:
        filter_path(machine).write_bytes(compile_filter(machine))


if __name__ == "__main__":
    main()
