"""The words an attack is written with; runs inside the sandbox, in front of the attack."""

import ctypes
import errno
import os
import platform
import tempfile

reached = []
stopped = []
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
DENIED = (errno.EPERM, errno.EACCES, errno.ENOSYS)

# name: (x86_64, aarch64)
NUMBERS = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "capget": (125, 90),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "kcmp": (312, 272),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "semget": (64, 190),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


class Blocked(Exception):
    """The attack got an answer, but not what it was after."""


def attempt(label, action):
    """Note whether `action` reached its aim; its value, when true, is shown as the proof."""
    try:
        proof = action()
    except (OSError, MemoryError, Blocked) as error:
        stopped.append(f"{label}: {type(error).__name__} {error}"[:200])
        return None
    reached.append(label if proof is None else f"{label}: {proof!r}"[:200])
    return proof


def report(**facts):
    return {"reached": reached[:40], "stopped": stopped[:40], **facts}


def syscall(name, *arguments):
    """The raw system call's result; raises OSError when it fails."""
    number = NUMBERS[name][0 if X86 else 1]
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def refused(name, *arguments):
    """Like `syscall`, but any answer other than a plain refusal counts as reaching the kernel."""
    try:
        return syscall(name, *arguments)
    except OSError as error:
        if error.errno in DENIED:
            raise
        return f"the kernel answered {error.strerror}"


def read(path, size=1 << 16):
    with open(path, "rb", buffering=0) as file:
        return file.read(size)


def find_token(token, path):
    """Raise Blocked unless the file at `path` holds the token."""
    content = read(path)
    if token.encode() not in content:
        raise Blocked(f"{len(content)} bytes without the secret")
    return path


def temporary(name):
    return os.path.join(tempfile.gettempdir(), name)
