"""What a forked guest does to itself, in this order, before it reads its task."""

import ctypes
import os
import resource
import signal
import tempfile
from dataclasses import dataclass

from hammerstone.sandbox.landlock import rules

CHANNEL, STDOUT, STDERR = 3, 4, 5
OPEN_FILES = 64  # each could hold a pipe or an unlinked file that no memory limit sees
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Confinement:
    """Everything the same for all guests of a server."""

    readable: tuple[str, ...]
    filter: bytes
    abi: int
    environment: dict[str, str]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def confine(plan: Confinement, tmp: str, files: str | None, memory_bytes: int) -> None:
    """Close everything; raises OSError when a control cannot be put on."""
    _die_with_parent()
    _refresh(plan.environment, tmp)
    _limit(memory_bytes)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    readable = (*plan.readable, files) if files else plan.readable
    rules.restrict(readable, (tmp, "/dev/null"), plan.abi)
    _install(plan.filter)


def take_descriptors(channel: int, stdout: int, stderr: int) -> None:
    """Keep exactly these, where `serve` expects them, and an empty standard input."""
    kept = [os.dup(fd) for fd in (channel, stdout, stderr)]
    high = [_above(fd) for fd in kept]
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for target, fd in zip((CHANNEL, STDOUT, STDERR), high, strict=True):
        os.dup2(fd, target)
    os.dup2(STDERR, 2)
    os.dup2(STDERR, 1)
    os.closerange(STDERR + 1, 65536)


def _above(fd: int) -> int:
    """A copy of `fd` with a number that the wanted places do not clash with."""
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD, 64)


def allow_watching() -> None:
    """Let processes of the same user look into /proc/<pid>, which a change of uid forbids.

    Done by the server for all its guests, so that there is no moment without a watcher.
    """
    _prctl(_PR_SET_DUMPABLE, 1)


def _die_with_parent() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    parent = os.getppid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)
    except OSError:
        pass  # the kernel then chooses by size alone


def _refresh(environment: dict[str, str], tmp: str) -> None:
    """Own environment and temporary folder."""
    os.environ.clear()
    os.environ.update(environment, HOME=tmp, TMPDIR=tmp, MPLCONFIGDIR=tmp)
    os.umask(0o077)
    tempfile.tempdir = tmp


def _limit(memory_bytes: int) -> None:
    """Cap the address space so that what is written to, old and new, stays within the memory.

    Program text and read-only data of the libraries are shared with every other guest and are
    not counted; everything private and writable is, also what was there before.
    """
    with open("/proc/self/statm") as file:
        numbers = file.read().split()
    page = os.sysconf("SC_PAGE_SIZE")
    total, writable = int(numbers[0]) * page, int(numbers[5]) * page
    space = total - writable + max(memory_bytes, writable)
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


def _install(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    head = _Program(len(program) // 8, ctypes.addressof(buffer))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(head))


def _prctl(option: int, *values: object) -> None:
    filled = [ctypes.c_ulong(v) if isinstance(v, int) else v for v in (*values, 0, 0, 0, 0)][:4]
    if _libc.prctl(option, *filled) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl {option}: {os.strerror(code)}")
