"""The allow-list, compiled: `python -m hammerstone.sandbox.seccomp.filter_build` rewrites the
.bpf files.

Needs pyseccomp and libseccomp, which the product itself does not.
"""

import errno
import tempfile
from pathlib import Path
from typing import Any

from hammerstone.sandbox.seccomp.allow_list import (
    AF_UNIX,
    ALLOWED,
    IOCTLS,
    NEW_NAMESPACES,
    PERSONALITY_QUERY,
    PRETEND_MISSING,
)

MACHINES = {"x86_64": "X86_64", "aarch64": "AARCH64"}


def compile_filter(machine: str) -> bytes:
    """The guest profile as BPF for `machine`."""
    import pyseccomp as seccomp

    rules: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    native = seccomp.system_arch()
    wanted = getattr(seccomp.Arch, MACHINES[machine])
    if native != wanted:
        rules.add_arch(wanted)
        rules.remove_arch(native)
    for name in sorted(ALLOWED):
        _add(rules, seccomp.ALLOW, name)
    for name in sorted(PRETEND_MISSING):
        _add(rules, seccomp.ERRNO(errno.ENOSYS), name)
    no_namespaces = seccomp.Arg(0, seccomp.MASKED_EQ, NEW_NAMESPACES, 0)
    _add(rules, seccomp.ALLOW, "clone", no_namespaces)
    for name in ("socket", "socketpair"):
        _add(rules, seccomp.ALLOW, name, seccomp.Arg(0, seccomp.EQ, AF_UNIX))
    _add(rules, seccomp.ALLOW, "prlimit64", seccomp.Arg(0, seccomp.EQ, 0))
    for number in sorted(IOCTLS.values()):
        _add(rules, seccomp.ALLOW, "ioctl", seccomp.Arg(1, seccomp.EQ, number))
    for value in (0, PERSONALITY_QUERY):
        _add(rules, seccomp.ALLOW, "personality", seccomp.Arg(0, seccomp.EQ, value))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(rules: Any, action: Any, name: str, *conditions: Any) -> None:
    """A rule, unless the processor family never had that call."""
    import pyseccomp as seccomp

    if seccomp.resolve_syscall(seccomp.system_arch(), name) == -1:
        raise ValueError(f"{name} is no system call")
    try:
        rules.add_rule(action, name, *conditions)
    except OSError as error:
        if error.errno not in (errno.EDOM, errno.EINVAL):
            raise


def main() -> None:
    for machine in MACHINES:
        target = Path(__file__).parent / f"guest-{machine}.bpf"
        target.write_bytes(compile_filter(machine))


if __name__ == "__main__":
    main()
