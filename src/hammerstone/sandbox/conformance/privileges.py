"""Attacks on the kernel's privileged doors: each must be refused, not merely answered."""

from hammerstone.sandbox.conformance.probe import (
    Probe,
    ProbeFinding,
    ProbeStage,
    escaped,
    judge,
    probe,
)


def _door(name: str, tries: str, body: str, *, fast: bool = False) -> Probe:
    """A probe whose whole attack is a few system calls."""

    async def run(stage: ProbeStage) -> ProbeFinding:
        lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
        return judge(await stage.attack(f"def attack():\n{lines}\n    return report()\n"))

    return Probe(f"privileges.{name}", tries, run, fast=fast)


@probe("become root, or another user", fast=True)
async def setuid(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    def become(change):
        change()
        if 0 not in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
            raise Blocked("allowed, but still nobody")
        return os.getresuid()
    attempt("setuid", lambda: become(lambda: os.setuid(0)))
    attempt("setresuid", lambda: become(lambda: os.setresuid(0, 0, 0)))
    attempt("setgid", lambda: become(lambda: os.setgid(0)))
    attempt("setgroups", lambda: os.setgroups([0]))
    attempt("already root", lambda: become(lambda: None))
    return report(capabilities=capabilities())
def capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    try:
        syscall("capget", ctypes.byref(header), ctypes.byref(data))
    except OSError:
        return 0
    return data[0] | data[1] | data[2] | data[3] | data[4] | data[5]
"""
    attack = await stage.attack(code)
    if attack.facts.get("capabilities"):
        return escaped(f"holds capabilities {attack.facts['capabilities']:#x}")
    return judge(attack)


@probe("run without a system call filter, or be able to gain privileges by exec", fast=True)
async def filters_are_on(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    if libc.prctl(21, 0, 0, 0, 0) != 2:
        reached.append("no system call filter")
    if libc.prctl(39, 0, 0, 0, 0) != 1:
        reached.append("may gain privileges")
    stopped.append("filter and no_new_privs are on")
    return report()
"""
    return judge(await stage.attack(code))


_DOORS = (
    _door(
        "mount",
        "mount file systems, old and new way",
        """
os.mkdir(temporary("m"))
def mount():
    syscall("mount", b"none", temporary("m").encode(), b"tmpfs", 0, b"size=4k")
    syscall("umount2", temporary("m").encode(), 2)
attempt("mount", mount)
attempt("fsopen", lambda: syscall("fsopen", b"tmpfs", 0))
attempt("open_tree", lambda: syscall("open_tree", -100, b"/", 1))
attempt("umount", lambda: refused("umount2", b"/nowhere", 2))
""",
        fast=True,
    ),
    _door(
        "unshare",
        "make new namespaces, above all a user namespace that gives back capabilities",
        """
kinds = {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000}
for name, flag in kinds.items():
    attempt(name, lambda flag=flag: syscall("unshare", flag))
def by_clone():
    pid = syscall("clone", 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
attempt("clone", by_clone)
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
def by_clone3():
    pid = refused("clone3", ctypes.byref(arguments), 88)
    if pid == 0:
        os._exit(0)
    return pid
attempt("clone3", by_clone3)
""",
        fast=True,
    ),
    _door(
        "setns",
        "enter another process's namespaces",
        """
def by_file():
    syscall("setns", os.open("/proc/self/ns/uts", os.O_RDONLY), 0)
attempt("own", by_file)
def by_pid():
    syscall("setns", os.open("/proc/1/ns/net", os.O_RDONLY), 0x40000000)
attempt("init", by_pid)
attempt("any", lambda: refused("setns", -1, 0))
""",
    ),
    _door(
        "chroot",
        "change the root of the file system",
        """
os.mkdir(temporary("r"))
attempt("chroot", lambda: syscall("chroot", temporary("r").encode()))
attempt("pivot_root", lambda: refused("pivot_root", b"/nowhere", b"/nowhere"))
""",
    ),
    _door(
        "keyrings",
        "use the kernel's keyrings, which cross containers",
        """
attempt("keyctl", lambda: refused("keyctl", 0, -3, 1))
attempt("add_key", lambda: refused("add_key", b"user", b"hs", b"x", 1, -3))
attempt("request_key", lambda: refused("request_key", b"user", b"hs", 0, -3))
""",
    ),
    _door(
        "io_uring",
        "do system calls past the filter through a ring",
        'attempt("setup", lambda: refused("io_uring_setup", 4, ctypes.create_string_buffer(256)))',
    ),
    _door(
        "bpf",
        "load programs into the kernel",
        'attempt("bpf", lambda: refused("bpf", 0, ctypes.create_string_buffer(128), 128))',
    ),
    _door(
        "userfaultfd",
        "handle page faults by hand, which makes kernel races easy",
        'attempt("userfaultfd", lambda: refused("userfaultfd", 1))',
    ),
    _door(
        "perf",
        "watch the processor's counters",
        """
event = ctypes.create_string_buffer(128)
ctypes.memmove(event, bytes([1, 0, 0, 0, 112, 0, 0, 0]), 8)
attempt("perf", lambda: refused("perf_event_open", event, 0, -1, -1, 0))
""",
    ),
    _door(
        "personality",
        "switch off address randomisation",
        'attempt("personality", lambda: syscall("personality", 0x0040000))',
    ),
    _door(
        "modules",
        "load and unload kernel modules",
        """
attempt("init_module", lambda: refused("init_module", b"x", 1, b""))
attempt("delete_module", lambda: refused("delete_module", b"nowhere", 0x800))
""",
    ),
    _door(
        "file_handles",
        "open files by handle, past every path rule",
        """
handle = (ctypes.c_uint32 * 34)(128)
mount = ctypes.c_int()
attempt("name", lambda: refused("name_to_handle_at", -100, b"/", handle, ctypes.byref(mount), 0))
attempt("open", lambda: refused("open_by_handle_at", -1, handle, 0))
""",
    ),
    _door(
        "machine",
        "change the machine: its name, accounting, swap; read the kernel's log",
        """
name = os.uname().nodename.encode()
attempt("sethostname", lambda: syscall("sethostname", name, len(name)))
attempt("acct", lambda: refused("acct", b"/nowhere"))
attempt("swapoff", lambda: refused("swapoff", b"/nowhere"))
attempt("syslog", lambda: syscall("syslog", 3, ctypes.create_string_buffer(64), 64))
""",
    ),
    _door(
        "other_doors",
        "use rarely needed calls that have a history: fanotify, kcmp, secret memory",
        """
attempt("fanotify", lambda: refused("fanotify_init", 0, 0))
attempt("kcmp", lambda: refused("kcmp", os.getpid(), os.getpid(), 0, 0, 0))
attempt("memfd_secret", lambda: refused("memfd_secret", 0))
attempt("pidfd_getfd", lambda: refused("pidfd_getfd", -1, 0, 0))
""",
    ),
)

PROBES = (setuid, filters_are_on, *_DOORS)
