"""Namespaces, mounts, capabilities and the system call filter, through the C library.

Used by the fork server for the process that is about to run a task. The order matters: mounts
need capabilities, so they come first; the filter forbids nearly everything, so it comes last.
"""

import ctypes
import os
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_SIGKILL = 9

_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_mount = _libc.mount
_mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def enter_namespace(fd: int, kind: int) -> None:
    _check(_libc.setns(fd, kind), "setns")


def die_with_parent() -> None:
    _check(_prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "pdeathsig")


def mount_tmpfs(at: str, size: int, inodes: int, *, again: bool = False) -> None:
    """A private file system in memory; `again` changes the caps of one that is there."""
    flags = MS_NOSUID | MS_NODEV | (MS_REMOUNT if again else 0)
    options = f"size={size},nr_inodes={inodes},mode=0700".encode()
    _check(_mount(b"tmpfs", at.encode(), b"tmpfs", flags, options), f"mount {at}")


def mount_proc() -> None:
    """What shows the processes of the new pid namespace, and no others.

    The kernel's own command line is covered: it may hold what only the machine's owner should
    know. Not in the fork server's /proc, which must be whole for its guests to mount their own.
    """
    _check(
        _mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None), "mount /proc"
    )
    _check(_mount(b"/dev/null", b"/proc/cmdline", None, MS_BIND, None), "cover /proc/cmdline")


def bind_read_only(source: str, at: str) -> None:
    _check(_mount(source.encode(), at.encode(), None, MS_BIND, None), f"bind {at}")
    flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV
    _check(_mount(None, at.encode(), None, flags, None), f"remount {at}")


class Filter:
    """A compiled system call filter, kept ready in memory so that a fork finds it."""

    def __init__(self, program: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(program, len(program))
        self._program = _Program(len(program) // 8, ctypes.addressof(self._buffer))

    def apply(self) -> None:
        address = ctypes.addressof(self._program)
        _check(_prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0), "seccomp")


def drop_privileges(filter: Filter) -> None:
    """No capability now or ever again, no new privileges, and only the allowed system calls."""
    capability = 0
    while _prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, struct.pack("<6I", 0, 0, 0, 0, 0, 0)), "capset")
    _check(_prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    filter.apply()
