"""A warm process that forks one confined guest for each request; see `backend.py`.

    python -I -S -B server.py <descriptor of the control socket>

The first message is the set-up (JSON), answered by {"ready": ...} or {"refused": ...}. Then
{"start": id, tmp, files, limits} with three descriptors (channel, stdout, stderr) makes a guest,
and {"end": id} kills it. Each guest is answered once, when it is gone: {"ended": id, ...}. When
the control socket closes, every guest is killed and the server ends.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

TICK_S = 0.003
NICENESS = 3  # half the share of others: behind the model and what a person waits for


def main(control: socket.socket) -> None:
    setup: dict[str, Any] = json.loads(control.recv(1 << 16))
    _step_back()
    sys.path[:0] = [setup["guest"]]
    if setup["packages"]:
        sys.path.append(setup["packages"])
    # This package's own files join those of the guest layer, which has the rest of the names.
    import hammerstone.sandbox

    hammerstone.sandbox.__path__.append(str(Path(__file__).parents[1]))
    try:
        server = _prepare(control, setup)
    except (OSError, ImportError, ValueError) as error:
        control.send(json.dumps({"refused": f"{type(error).__name__}: {error}"}).encode())
        return
    control.send(json.dumps({"ready": os.getpid()}).encode())
    server.run()


def _prepare(control: socket.socket, setup: dict[str, Any]) -> "LandlockServer":
    from hammerstone.sandbox.guest import harness
    from hammerstone.sandbox.landlock import confine, rules, watch

    program = Path(setup["filter"]).read_bytes()
    abi = rules.version()
    if not abi:
        raise OSError("this kernel has no Landlock")
    if setup["uid"] is not None:
        _become(setup["uid"])
    confine.allow_watching()
    os.environ.clear()
    os.environ.update(setup["environment"])
    for name in setup["preload"]:
        with contextlib.suppress(Exception):  # a task that needs it will say so itself
            importlib.import_module(name)
    _wait_for_threads()
    gc.collect()
    gc.freeze()
    plan = confine.Confinement(tuple(setup["readable"]), program, abi, dict(setup["environment"]))
    return LandlockServer(control, plan, harness.serve, (confine, watch))


def _step_back() -> None:
    """Lower the priority; where sessions are scheduled as groups, that of the group too."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
        Path("/proc/self/autogroup").write_text(str(NICENESS))


def _wait_for_threads() -> None:
    """A preloaded module may end a thread of its own a moment later; forking must wait for it."""
    for _ in range(100):
        if len(os.listdir("/proc/self/task")) == 1:
            return
        time.sleep(0.01)
    raise OSError("a preloaded module started a thread, forking would not be safe")


def _become(uid: int) -> None:
    """Leave root for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if 0 in (*os.getresuid(), *os.getresgid()):
        raise OSError("could not leave root")


class LandlockServer:
    """Forks, watches and reaps; never runs a guest's code in its own process."""

    def __init__(self, control: socket.socket, plan: Any, serve: Any, parts: Any) -> None:
        self._control = control
        self._plan = plan
        self._serve = serve
        self._confine, self._watch = parts
        self._guests: dict[str, Any] = {}
        self._ends: dict[int, str] = {}  # pidfd: id
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)

    def run(self) -> None:
        while True:
            timeout = TICK_S * 1000 if self._guests else None
            for fd, _ in self._poll.poll(timeout):
                if fd in self._ends:
                    self._reap(fd)
                elif not self._obey():
                    self._kill_all()
                    return
            for guest in self._guests.values():
                guest.look()

    def _obey(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 8)
        if not message:
            return False
        order = json.loads(message)
        if "start" in order:
            self._start(order, descriptors)
        elif (guest := self._guests.get(order["end"])) is not None:
            guest.kill()
        return True

    def _start(self, order: dict[str, Any], descriptors: list[int]) -> None:
        channel, stdout, stderr = descriptors
        name, tmp, limits = order["start"], order["tmp"], order["limits"]
        try:
            os.mkdir(tmp, 0o700)
            pid = os.fork()
        except OSError as error:
            for fd in descriptors:
                os.close(fd)
            self._tell({"ended": name, "lost": str(error)})
            return
        if pid == 0:
            self._become_guest(order, descriptors)
        os.close(channel)
        pidfd = os.pidfd_open(pid)
        self._guests[name] = self._watch.WatchedGuest(pid, tmp, limits, (stdout, stderr))
        self._ends[pidfd] = name
        self._poll.register(pidfd, select.POLLIN)

    def _become_guest(self, order: dict[str, Any], descriptors: list[int]) -> None:
        confine = self._confine
        try:
            confine.take_descriptors(*descriptors)
            confine.confine(
                self._plan, order["tmp"], order["files"], int(order["limits"]["memory_bytes"])
            )
        except BaseException as error:
            os.write(2, f"the guest could not be confined: {error}\n".encode())
            os._exit(UNCONFINED)
        self._serve(confine.CHANNEL, confine.CHANNEL, confine.STDOUT, confine.STDERR)

    def _reap(self, pidfd: int) -> None:
        name = self._ends.pop(pidfd)
        guest = self._guests.pop(name)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, status, use = os.wait4(guest.pid, 0)
        if guest.killed_for:
            with contextlib.suppress(OSError):
                os.write(guest.printed[1], f"killed: {guest.killed_for}\n".encode())
        for fd in guest.printed:
            os.close(fd)
        empty(guest.tmp)
        self._tell(
            {
                "ended": name,
                "status": status,
                "cpu_s": use.ru_utime + use.ru_stime,
                "peak_memory_bytes": use.ru_maxrss * 1024,
                "reason": guest.killed_for,
            }
        )

    def _tell(self, message: dict[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())

    def _kill_all(self) -> None:
        for guest in self._guests.values():
            guest.kill()
            os.waitpid(guest.pid, 0)
            empty(guest.tmp)


UNCONFINED = 97


def empty(folder: str) -> None:
    """Remove a folder that hostile code filled: any depth, any mode, without recursion.

    Folders within folders are first moved up, so that no path grows longer than two names.
    """
    moved = 0
    while True:
        inner = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
                else:
                    os.unlink(entry.path)
        if not inner:
            break
        for path in inner:
            os.chmod(path, 0o700)
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        moved += 1
                        os.chmod(entry.path, 0o700)
                        os.rename(entry.path, f"{folder}/.moved-{moved}")
                    else:
                        os.unlink(entry.path)
            os.rmdir(path)
    os.rmdir(folder)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(socket.socket(fileno=int(sys.argv[1])))
