"""Landlock: rules about files, ports and signals that a process puts on itself for good."""

import ctypes
import os
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every processor
_VERSION_FLAG = 1
_PATH_BENEATH = 1

READ_FILE, READ_DIR = 1 << 2, 1 << 3
_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REG, _MAKE_FIFO, _MAKE_SYM = 1 << 7, 1 << 8, 1 << 10, 1 << 12
_REFER, _TRUNCATE = 1 << 13, 1 << 14

READ = READ_FILE | READ_DIR
READ_WRITE = (
    READ
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_OF_A_FILE = READ_FILE | _WRITE_FILE | _TRUNCATE  # the rest is about folders

# Everything that each version of the kernel interface can forbid, so that it is forbidden.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FILE_RIGHTS = (1 << 16) - 1  # from version 5 on
_TCP_RIGHTS, _TCP_SINCE = 0b11, 4
_SCOPES, _SCOPES_SINCE = 0b11, 6  # abstract sockets and signals stay within the process


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    result = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return result


def version() -> int:
    """The kernel's Landlock interface; 0 when there is none or it is switched off."""
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def handled(abi: int) -> tuple[int, int, int]:
    """The rights about files, ports and scopes that version `abi` can take away."""
    files = _FILE_RIGHTS.get(abi, _ALL_FILE_RIGHTS)
    ports = _TCP_RIGHTS if abi >= _TCP_SINCE else 0
    return files, ports, _SCOPES if abi >= _SCOPES_SINCE else 0


def restrict(readable: Iterable[str], writable: Iterable[str], abi: int) -> None:
    """From here on this process reads only beneath `readable` and writes only beneath `writable`.

    Paths that do not exist are left out: what is not there needs no permission. Needs
    no_new_privs, and cannot be undone.
    """
    files, ports, scopes = handled(abi)
    wanted = _Ruleset(files, ports, scopes)
    # Older kernels refuse a structure that is longer than the one they know only if the rest is
    # not zero, and it is zero there.
    ruleset = _call(
        _CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)), 0
    )
    try:
        for rights, paths in ((READ, readable), (READ_WRITE, writable)):
            for path in paths:
                _allow(ruleset, path, rights & files)
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return
    try:
        if not os.path.isdir(path):
            rights &= _OF_A_FILE
        rule = _PathRule(rights, parent)
        _call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(parent)
