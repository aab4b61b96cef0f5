"""Attacks on files: reading what is the host's, writing where nothing may be written."""

from pathlib import Path

from hammerstone.sandbox.conformance.canaries import open_folder, secret_file
from hammerstone.sandbox.conformance.probe import (
    ProbeFinding,
    ProbeKind,
    ProbeStage,
    contained,
    escaped,
    judge,
    probe,
)


@probe("read the machine's password hashes", fast=True)
async def read_shadow(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    def hashes():
        content = read("/etc/shadow") + read("/etc/gshadow")
        if b":" not in content:
            raise Blocked("no entries")
        return len(content)
    attempt("/etc/shadow", hashes)
    return report()
"""
    return judge(await stage.attack(code))


@probe("read a file in the user's home folder", fast=True)
async def read_home(stage: ProbeStage) -> ProbeFinding:
    with secret_file(stage.token, _writable(Path.home())) as path:
        return judge(await stage.attack(_FIND, token=stage.token, paths=[str(path)]))


@probe("read a file that another program left in the host's temporary folder", fast=True)
async def read_host_tmp(stage: ProbeStage) -> ProbeFinding:
    with secret_file(stage.token) as path:
        return judge(await stage.attack(_FIND, token=stage.token, paths=[str(path)]))


@probe("reach the host's files through /proc: root, cwd and descriptors of every process")
async def read_through_proc(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, path):
    for pid in ["1", "self", "thread-self", str(os.getppid())]:
        for door in ("root", "cwd", "cwd/../../../../../..", "fd/3/../../../.."):
            at = f"/proc/{pid}/{door}{path}"
            attempt(at, lambda at=at: find_token(token, at))
    return report()
"""
    with secret_file(stage.token) as path:
        return judge(await stage.attack(code, token=stage.token, path=str(path)))


@probe("follow a symbolic link out of the temporary folder")
async def read_by_symlink(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, path):
    for target in (path, "/proc/1/root" + path, "../" * 12 + path[1:]):
        link = temporary(token + str(len(stopped + reached)))
        os.symlink(target, link)
        attempt("link to " + target, lambda link=link: find_token(token, link))
    os.symlink(os.path.dirname(path), temporary(token))
    attempt("folder link", lambda: find_token(token, temporary(token) + "/secret.txt"))
    return report()
"""
    with secret_file(stage.token) as path:
        return judge(await stage.attack(code, token=stage.token, path=str(path)))


@probe("climb out with .. from the places that are open")
async def read_by_climbing(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, path):
    import sys
    library = os.path.dirname(os.__file__)
    for start in (tempfile.gettempdir(), os.getcwd(), "/files", sys.prefix, library):
        at = start + "/.." * 12 + path
        attempt(at, lambda at=at: find_token(token, at))
    return report()
"""
    with secret_file(stage.token) as path:
        return judge(await stage.attack(code, token=stage.token, path=str(path)))


@probe("take a hard link of a host file into the temporary folder")
async def hard_link(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, path):
    def take():
        os.link(path, temporary("linked"))
        return find_token(token, temporary("linked"))
    attempt("link", take)
    attempt("rename", lambda: os.rename(path, temporary("moved")))
    return report()
"""
    with secret_file(stage.token, mode=0o666) as path:
        found = judge(await stage.attack(code, token=stage.token, path=str(path)))
        if not path.exists() or path.stat().st_nlink != 1:
            return escaped("the host's file was linked or moved")
        return found


@probe("write into every usual folder outside the temporary one", fast=True)
async def write_outside(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, folders):
    for folder in folders:
        def write(folder=folder):
            with open(os.path.join(folder, token), "w") as file:
                file.write("x")
        attempt(folder, write)
    return report()
"""
    places = ["/", "/etc", "/usr", "/usr/local", "/var/tmp", "/tmp", "/opt", "/home", "/root"]  # noqa: S108
    with open_folder(stage.token) as folder:
        places += [str(folder), str(Path.home()), "/dev/shm", "/run", "/sys/fs/cgroup"]  # noqa: S108
        places = list(dict.fromkeys(places))
        attack = await stage.attack(code, token=stage.token, folders=[*places])
        landed = [place for place in places if _there(Path(place) / stage.token)]
        for place in landed:
            (Path(place) / stage.token).unlink()
    if landed:
        return escaped("files appeared on the host in " + ", ".join(landed))
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    return contained("nothing appeared on the host; " + "; ".join(attack.stopped[:3]))


@probe("truncate and append to a host file that everyone may write")
async def change_host_file(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(path):
    attempt("truncate", lambda: os.truncate(path, 0))
    attempt("append", lambda: os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b"x"))
    attempt("unlink", lambda: os.unlink(path))
    return report()
"""
    with secret_file(stage.token, mode=0o666) as path:
        found = judge(await stage.attack(code, path=str(path)))
        if not path.exists() or path.read_text() != f"{stage.token}\n":
            return escaped("the host's file was changed")
        return found


@probe("change mode, owner, times and attributes of a file of the same user")
async def change_metadata(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(path):
    for label, action in (
        ("chmod", lambda: os.chmod(path, 0o777)),
        ("utime", lambda: os.utime(path, (1, 1))),
        ("setxattr", lambda: os.setxattr(path, "user.hs", b"1")),
        ("chown", lambda: os.chown(path, os.getuid(), os.getgid())),
    ):
        attempt(label, action)
    return report()
"""
    with secret_file(stage.token, mode=0o666) as path:
        before = path.stat()
        attack = await stage.attack(code, path=str(path))
        after = path.stat()
    # Judged by the file alone: a backend may answer "done" to a change that it swallows.
    if (before.st_mode, before.st_mtime_ns, before.st_ctime_ns) != (
        after.st_mode,
        after.st_mtime_ns,
        after.st_ctime_ns,
    ):
        return escaped("the host's file changed: " + "; ".join(attack.reached))
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    return contained("the file is untouched; " + "; ".join(attack.stopped))


@probe("change an input file that was given read-only")
async def change_input(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(path):
    attempt("write", lambda: os.write(os.open(path, os.O_RDWR), b"x"))
    attempt("truncate", lambda: os.truncate(path, 0))
    attempt("unlink", lambda: os.unlink(path))
    attempt("rename", lambda: os.rename(path, path + ".bak"))
    attempt("add", lambda: os.close(os.open(path + ".new", os.O_CREAT | os.O_WRONLY)))
    return report(content=read(path).decode())
"""
    with secret_file(stage.token, mode=0o666) as path:
        given = {"input.txt": path}
        attack = await stage.attack(code, files=given, path="/files/input.txt")
        intact = path.exists() and path.read_text() == f"{stage.token}\n"
    if not intact:
        return escaped("the host's input file was changed")
    if attack.told and attack.facts.get("content") != f"{stage.token}\n":
        return escaped("inconclusive, the input file could not be read inside")
    return judge(attack)


@probe("plant code in the Python runtime that later calls will import", fast=True)
async def change_runtime(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token):
    import sys
    library = os.path.dirname(os.__file__)
    for folder in [p for p in sys.path if os.path.isdir(p)] + [sys.prefix, library]:
        if os.path.realpath(folder).startswith(os.path.realpath(tempfile.gettempdir())):
            continue
        def plant(folder=folder):
            path = os.path.join(folder, token + ".py")
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            os.unlink(path)
        attempt(folder, plant)
    attempt("os.py", lambda: os.close(os.open(os.__file__, os.O_RDWR)))
    return report()
"""
    return judge(await stage.attack(code, token=stage.token))


@probe("open disks, kernel memory and consoles; make device nodes")
async def open_devices(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import stat
    for name in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "loop-control", "kvm",
                 "fuse", "net/tun", "console", "tty1", "snapshot", "vsock", "vhost-net"):
        flags = os.O_RDONLY | os.O_NONBLOCK
        attempt(name, lambda name=name: os.close(os.open("/dev/" + name, flags)))
    def node():
        os.mknod(temporary("null"), 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        return len(os.read(os.open(temporary("null"), os.O_RDONLY), 1))
    attempt("mknod", node)
    return report()
"""
    return judge(await stage.attack(code))


@probe("open kernel settings and control groups for writing")
async def change_kernel_settings(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory",
             "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe", "/sys/power/state",
             "/proc/sys/net/ipv4/ip_forward", "/sys/kernel/uevent_helper",
             "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs",
             "/sys/fs/cgroup/unified/cgroup.procs", "/sys/fs/cgroup/memory/release_agent",
             "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    for path in paths:
        attempt(path, lambda path=path: os.close(os.open(path, os.O_WRONLY)))
    for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"):
        def group(folder=folder):
            os.mkdir(folder + "/escape")
            os.rmdir(folder + "/escape")
        attempt("mkdir " + folder, group)
    return report()
"""
    return judge(await stage.attack(code))


@probe("read the kernel's command line, which may hold keys and addresses")
async def read_kernel_command(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    def command(path):
        content = read(path).strip()
        if not content:
            raise Blocked("nothing is in it")
        return len(content)
    for path in ("/proc/cmdline", "/proc/self/root/proc/cmdline", "/proc/1/root/proc/cmdline"):
        attempt(path, lambda path=path: command(path))
    return report()
"""
    return judge(await stage.attack(code))


@probe("see whether a host file exists, and its size, without reading it", kind=ProbeKind.QUOTA)
async def see_metadata(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(path):
    attempt("stat", lambda: os.stat(path).st_size)
    attempt("list", lambda: os.listdir(os.path.dirname(path)))
    return report()
"""
    with secret_file(stage.token) as path:
        return judge(await stage.attack(code, path=str(path)))


_FIND = """
def attack(token, paths):
    for path in paths:
        attempt(path, lambda path=path: find_token(token, path))
    return report()
"""


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # in a folder that is closed to us, and so to a guest of ours
        return False


def _writable(folder: Path) -> Path | None:
    """The folder if a canary can be put there; else the usual temporary place."""
    try:
        with secret_file("try", folder):
            return folder
    except OSError:
        return None


PROBES = (
    read_shadow,
    read_home,
    read_host_tmp,
    read_through_proc,
    read_by_symlink,
    read_by_climbing,
    hard_link,
    write_outside,
    change_host_file,
    change_metadata,
    change_input,
    change_runtime,
    open_devices,
    change_kernel_settings,
    read_kernel_command,
    see_metadata,
)
