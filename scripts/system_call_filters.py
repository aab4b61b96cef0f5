"""Compiles the sandbox's system call filters: `python -m scripts.system_call_filters` rewrites the
.bpf files that are shipped.

Two profiles. A `guest` is in namespaces of its own and may make what the shared list allows. A
process that stays `single` is not: from the list is taken away whatever would make a second
process, reach one, or change a file past Landlock, which does not govern modes, owners, times and,
before its third version, truncation. Needs pyseccomp, which the product itself does not.
"""

import errno
import os
import tempfile
from typing import Any

from hammerstone.sandbox.seccomp import filter_path
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
PROFILES = ("guest", "single")

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


class FilterRules:
    """The rules of one filter for one machine, added one by one."""

    def __init__(self, machine: str) -> None:
        import pyseccomp

        self._seccomp: Any = pyseccomp
        self._filter: Any = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
        native, wanted = pyseccomp.system_arch(), getattr(pyseccomp.Arch, MACHINES[machine])
        if native != wanted:
            self._filter.add_arch(wanted)
            self._filter.remove_arch(native)

    def allow(self, name: str, *conditions: Any) -> None:
        self._add(self._seccomp.ALLOW, name, *conditions)

    def answer(self, name: str, code: int) -> None:
        """Not done: the caller gets an error, or the answer that it was done (0)."""
        self._add(self._seccomp.ERRNO(code), name)

    def equal(self, position: int, value: int) -> Any:
        return self._seccomp.Arg(position, self._seccomp.EQ, value)

    def masked(self, position: int, mask: int, value: int) -> Any:
        return self._seccomp.Arg(position, self._seccomp.MASKED_EQ, mask, value)

    def _add(self, action: Any, name: str, *conditions: Any) -> None:
        """A rule, unless the processor family never had that call."""
        if self._seccomp.resolve_syscall(self._seccomp.system_arch(), name) == -1:
            raise ValueError(f"{name} is no system call")
        try:
            self._filter.add_rule(action, name, *conditions)
        except OSError as error:
            if error.errno not in (errno.EDOM, errno.EINVAL):
                raise

    def compiled(self) -> bytes:
        with tempfile.TemporaryFile() as file:
            self._filter.export_bpf(file)
            file.seek(0)
            return file.read()


def compile_filter(profile: str, machine: str) -> bytes:
    """A profile as BPF for `machine`."""
    rules = FilterRules(machine)
    if profile == "guest":
        _add_guest(rules)
    else:
        _add_single(rules)
    rules.allow("prlimit64", rules.equal(0, 0))
    for number in sorted(IOCTLS.values()):
        rules.allow("ioctl", rules.equal(1, number))
    for value in (0, PERSONALITY_QUERY):
        rules.allow("personality", rules.equal(0, value))
    return rules.compiled()


def _add_guest(rules: FilterRules) -> None:
    for name in sorted(ALLOWED):
        rules.allow(name)
    for name in sorted(PRETEND_MISSING):
        rules.answer(name, errno.ENOSYS)
    rules.allow("clone", rules.masked(0, NEW_NAMESPACES, 0))
    for name in ("socket", "socketpair"):
        rules.allow(name, rules.equal(0, AF_UNIX))


def _add_single(rules: FilterRules) -> None:
    for name in sorted((ALLOWED - REFUSED - SWALLOWED) | set(_PAIR)):
        rules.allow(name)
    for name in sorted(PRETEND_MISSING | {"openat2"}):
        rules.answer(name, errno.ENOSYS)
    for name in sorted(SWALLOWED):
        rules.answer(name, 0)
    rules.allow("clone", rules.masked(0, CLONE_THREAD | NEW_NAMESPACES, CLONE_THREAD))
    rules.allow("socketpair", rules.equal(0, AF_UNIX), rules.masked(1, SOCK_TYPE_MASK, SOCK_STREAM))
    # Opening for reading and emptying at once would empty a file that may only be read.
    for name, position in (("open", 1), ("openat", 2)):
        for flag, value in ((O_TRUNC, 0), (O_ACCMODE, os.O_WRONLY), (O_ACCMODE, os.O_RDWR)):
            rules.allow(name, rules.masked(position, flag, value))
    for command in FCNTLS:
        rules.allow("fcntl", rules.equal(1, command))
    for option in PRCTLS:
        rules.allow("prctl", rules.equal(0, option))


def main() -> None:
    for profile in PROFILES:
        for machine in MACHINES:
            filter_path(profile, machine).write_bytes(compile_filter(profile, machine))


if __name__ == "__main__":
    main()
