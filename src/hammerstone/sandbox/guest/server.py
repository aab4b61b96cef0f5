"""The fork server: runs inside bubblewrap, forks a confined process for each task.

    python -I -S -B server.py <control socket> <filter file> <module,module,...>

It keeps CAP_SYS_ADMIN of its own user namespace, which is what making namespaces takes; what it
forks gives that up before it reads a task. Over the control socket (sequential packets):

    host to server   b"S" with three descriptors: channel, stdout, stderr   make a spare
    server to host   b"R"                                                   ready
                     b"P <pid>" with one descriptor: the spare's pidfd
                     b"X <pid> <status>"                                    it died, as waitpid says
                     b"E <text>"                                            no spare could be made

A spare is complete but for its task: fresh pid, mount, ipc, uts and net namespaces, /tmp, /dev/shm
and /proc. The first frame it reads (`SETUP`) may change the caps of /tmp and show input files;
it then gives up every privilege and sends one byte, before any generated code runs. Without that
byte the sandbox failed, with it the code did.

The server must stay single-threaded: a fork copies only one thread. It imports the modules it is
told to once, so that no task has to.
"""

import array
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)).split("/hammerstone/sandbox/")[0])
if os.path.isdir("/opt/packages"):
    sys.path.append("/opt/packages")

from hammerstone.sandbox.guest import confine, harness, protocol

READY = b"K"
TMP = "/tmp"  # noqa: S108 - private to each task
SHM = "/dev/shm"  # noqa: S108
TMP_BYTES, TMP_INODES = 64 << 20, 4096  # what most tasks want; another size costs a remount
SHM_BYTES, SHM_INODES = 8 << 20, 256
_FRESH = confine.CLONE_NEWNS | confine.CLONE_NEWIPC | confine.CLONE_NEWUTS | confine.CLONE_NEWNET
_CHANNEL = 3


class GuestServer:
    def __init__(self, control: socket.socket, filter: confine.Filter) -> None:
        self._control = control
        self._filter = filter
        self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._children: dict[int, int] = {}  # pidfd to pid

    def run(self) -> None:
        self._control.send(b"R")
        while True:
            waiting = select.poll()
            waiting.register(self._control, select.POLLIN)
            for pidfd in self._children:
                waiting.register(pidfd, select.POLLIN)
            for fd, _ in waiting.poll():
                if fd in self._children:
                    self._reap(fd)
                elif not self._obey():
                    return

    def _reap(self, pidfd: int) -> None:
        pid = self._children.pop(pidfd)
        _, status = os.waitpid(pid, 0)
        os.close(pidfd)
        self._control.send(b"X %d %d" % (pid, status))

    def _obey(self) -> bool:
        space = socket.CMSG_LEN(3 * array.array("i").itemsize)
        message, ancillary, _, _ = self._control.recvmsg(64, space)
        if not message:
            return False
        fds = array.array("i")
        for _, _, data in ancillary:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
        try:
            self._fork_spare(fds.tolist())
        except OSError as error:
            self._control.send(b"E " + str(error).encode()[:200])
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _fork_spare(self, fds: list[int]) -> None:
        """A child that is the first process of a new pid namespace; this process stays outside."""
        confine.unshare(confine.CLONE_NEWPID)
        pid = -1
        try:
            pid = os.fork()
        finally:
            if pid != 0:
                confine.enter_namespace(self._own_pids, confine.CLONE_NEWPID)
        if pid == 0:
            self._become_spare(fds)
        pidfd = os.pidfd_open(pid)
        self._children[pidfd] = pid
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [pidfd]))]
        self._control.sendmsg([b"P %d" % pid], rights)

    def _become_spare(self, fds: list[int]) -> None:
        """Never returns."""
        try:
            confine.die_with_parent()
            os.setsid()
            confine.unshare(_FRESH)
            confine.mount_tmpfs(TMP, TMP_BYTES, TMP_INODES)
            confine.mount_tmpfs(SHM, SHM_BYTES, SHM_INODES)
            confine.mount_proc()
            channel, stdout, stderr = fds
            self._keep_only(channel, stdout, stderr)
            setup = _read_setup()
            if (setup["tmp_bytes"], setup["tmp_inodes"]) != (TMP_BYTES, TMP_INODES):
                confine.mount_tmpfs(TMP, setup["tmp_bytes"], setup["tmp_inodes"], again=True)
            if setup["stage"]:
                confine.bind_read_only(f"/stage/{setup['stage']}", "/files")
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")  # the kernel takes a task before it takes the server
            confine.drop_privileges(self._filter)
            os.write(_CHANNEL, READY)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode()[:500])
            os._exit(1)
        harness.serve(_CHANNEL, _CHANNEL, 1, 2)

    def _keep_only(self, channel: int, stdout: int, stderr: int) -> None:
        """Descriptors 0 to 3 and nothing else; the originals are all above those."""
        null = os.open("/dev/null", os.O_RDONLY)
        for fd, number in ((null, 0), (stdout, 1), (stderr, 2), (channel, _CHANNEL)):
            if fd != number:
                os.dup2(fd, number)
            os.set_inheritable(number, number != _CHANNEL)
        os.closerange(_CHANNEL + 1, 1024)


def _read_setup() -> dict[str, Any]:
    header = harness.read_exactly(_CHANNEL, protocol.HEADER.size)
    _, kind, length = protocol.HEADER.unpack(header)
    if kind != protocol.SETUP:
        raise protocol.ProtocolBreach(f"expected the setup, not {kind!r}")
    return json.loads(harness.read_exactly(_CHANNEL, length))


def _wait_for_threads() -> None:
    """A preloaded module may end a thread of its own a moment later; forking must wait for that."""
    for _ in range(100):
        if len(os.listdir("/proc/self/task")) == 1:
            return
        time.sleep(0.01)
    raise SystemExit("a preloaded module left a thread running")


def main() -> None:
    control, filter_file, modules = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in filter(None, modules.split(",")):
        try:
            importlib.import_module(name)
        except Exception:  # noqa: S112 - a task that needs it will say so itself
            continue
    _wait_for_threads()
    with open(filter_file, "rb") as file:
        compiled = confine.Filter(file.read())
    # Keep all four low numbers taken, so that none of them is ever handed to something else.
    while True:
        fd = os.open("/dev/null", os.O_RDWR)
        if fd > _CHANNEL:
            os.close(fd)
            break
    gc.collect()
    gc.freeze()
    GuestServer(socket.socket(fileno=control), compiled).run()


if __name__ == "__main__":
    main()
