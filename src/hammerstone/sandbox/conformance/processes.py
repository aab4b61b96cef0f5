"""Attacks on other processes, and with too many or too long-lived ones."""

import os

from hammerstone.sandbox.conformance.canaries import bystander, leftover_processes
from hammerstone.sandbox.conformance.probe import (
    SMALL,
    ProbeFinding,
    ProbeStage,
    contained,
    escaped,
    judge,
    probe,
)


@probe("multiply without end")
async def fork_bomb(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, most):
    import time
    count = 0
    libc.prctl(15, token[:15].encode(), 0, 0, 0)
    while count < most:
        try:
            pid = os.fork()
        except OSError as error:
            stopped.append(f"fork {count}: {error}")
            break
        if pid == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
    return report(count=count)
"""
    most = SMALL.processes * 8
    attack = await stage.attack(code, token=stage.token, most=most)
    left = await leftover_processes(stage.token)
    if left:
        return escaped(f"{len(left)} processes outlived the call")
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    count = int(attack.facts.get("count", 0))
    if count > SMALL.processes:
        return escaped(f"{count} processes where {SMALL.processes} are allowed")
    return contained(f"{count} processes; " + ("; ".join(attack.stopped) or attack.ended_by))


@probe("make threads without end")
async def thread_bomb(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(most):
    import threading, time
    stop, count = threading.Event(), 0
    threading.stack_size(64 << 10)
    while count < most:
        try:
            threading.Thread(target=stop.wait, daemon=True).start()
        except (RuntimeError, MemoryError) as error:
            stopped.append(f"thread {count}: {error}")
            break
        count += 1
    time.sleep(0.25)  # a watcher may take a moment; what matters is that they cannot stay
    stop.set()
    return report(count=count)
"""
    most = SMALL.processes * 8
    attack = await stage.attack(code, most=most)
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    count = int(attack.facts.get("count", 0))
    # What counts is that there is an end; a thread shares the memory and the time of its process.
    if count >= most:
        return escaped(f"{count} threads where {SMALL.processes} tasks are allowed")
    return contained(f"{count} threads; " + ("; ".join(attack.stopped) or attack.ended_by))


_DAEMON = """
def attack(token, deep):
    import time
    def detach():
        if os.fork():
            return
        os.setsid()
        if deep and os.fork():
            os._exit(0)
        libc.prctl(15, token[:15].encode(), 0, 0, 0)
        for fd in range(64):
            try:
                os.close(fd)
            except OSError:
                pass
        time.sleep(30)
        os._exit(0)
    try:
        detach()
        time.sleep(0.05)
    except OSError as error:
        stopped.append(f"fork: {error}")
    return report()
"""


@probe("leave a daemon behind: fork, new session, fork again, close everything")
async def daemon(stage: ProbeStage) -> ProbeFinding:
    return await _outlive(stage, deep=True)


@probe("return while a child goes on")
async def child_outlives_call(stage: ProbeStage) -> ProbeFinding:
    return await _outlive(stage, deep=False)


async def _outlive(stage: ProbeStage, *, deep: bool) -> ProbeFinding:
    attack = await stage.attack(_DAEMON, token=stage.token, deep=deep)
    left = await leftover_processes(stage.token)
    if left:
        return escaped(f"process {left[0]} outlived the call")
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    return contained("; ".join(attack.stopped) or attack.ended_by or "ended with the call")


@probe("attach a debugger to a process of the host", fast=True)
async def ptrace(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(pid):
    TRACEME, ATTACH, SEIZE = 0, 16, 0x4206
    for target in {pid, os.getppid()} - {0}:
        attempt(f"seize {target}", lambda t=target: syscall("ptrace", SEIZE, t, 0, 0))
        attempt(f"attach {target}", lambda t=target: syscall("ptrace", ATTACH, t, 0, 0))
    attempt("traceme", lambda: syscall("ptrace", TRACEME, 0, 0, 0))
    return report()
"""
    with bystander(stage.token) as process:
        return judge(await stage.attack(code, pid=process.pid))


@probe("kill a process of the host", fast=True)
async def kill(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(pid):
    attempt("kill", lambda: os.kill(pid, 9))
    attempt("killpg", lambda: os.killpg(pid, 9))
    attempt("tgkill", lambda: os.kill(pid, 0))
    def by_descriptor():
        import signal
        signal.pidfd_send_signal(syscall("pidfd_open", pid, 0), 9)
    attempt("pidfd", by_descriptor)
    return report()
"""
    with bystander(stage.token) as process:
        attack = await stage.attack(code, pid=process.pid)
        if process.poll() is not None:
            return escaped("the host's process was killed")
    return judge(attack)


@probe("have a descriptor send a deadly signal to a process of the host")
async def signal_by_descriptor(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(pid):
    import fcntl, time
    reader, writer = os.pipe()
    for label, action in (
        ("owner", lambda: fcntl.fcntl(reader, 8, pid)),
        ("signal", lambda: fcntl.fcntl(reader, 10, 9)),
        ("async", lambda: fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)),
    ):
        try:
            action()
        except OSError as error:
            stopped.append(f"{label}: {error}")
    os.write(writer, b"x")
    time.sleep(0.05)
    return report()
"""
    with bystander(stage.token) as process:
        attack = await stage.attack(code, pid=process.pid)
        if process.poll() is not None:
            return escaped("the host's process was killed")
    if attack.inconclusive:
        return escaped(attack.inconclusive)
    return contained("; ".join(attack.stopped) or attack.ended_by or "nobody of that number")


@probe("kill the group and the parent that it runs under")
async def kill_own_group(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import signal, time
    for action in (lambda: os.kill(os.getppid(), 9), lambda: os.killpg(0, 9)):
        try:
            action()
        except OSError as error:
            stopped.append(str(error))
    time.sleep(0.1)
    return report()
"""
    with bystander(stage.token) as process:
        attack = await stage.attack(code)
        if process.poll() is not None:
            return escaped("a process of the host was killed")
    if trouble := await stage.still_works():
        return escaped(f"the sandbox does not work any more: {trouble}")
    return contained("; ".join(attack.stopped) or attack.ended_by or "only itself")


@probe("see the host's processes and their arguments")
async def list_processes(stage: ProbeStage) -> ProbeFinding:
    return await _search_processes(stage, "cmdline")


@probe("read the environment of the host's processes, of its parents and its own", fast=True)
async def read_environment(stage: ProbeStage) -> ProbeFinding:
    return await _search_processes(stage, "environ")


async def _search_processes(stage: ProbeStage, file: str) -> ProbeFinding:
    code = """
def attack(token, pid, file):
    def search():
        seen = {str(pid), str(os.getppid()), "1", "self"}
        try:
            seen |= {name for name in os.listdir("/proc") if name.isdigit()}
        except OSError as error:
            stopped.append(f"list /proc: {error}")
        for one in seen:
            try:
                if token.encode() in read(f"/proc/{one}/{file}", 1 << 20):
                    return f"/proc/{one}/{file}"
            except OSError:
                pass
        raise Blocked(f"{len(seen)} processes looked at, the secret is in none")
    attempt(file, search)
    return report(environment=dict(os.environ))
"""
    with bystander(stage.token) as process:
        attack = await stage.attack(code, token=stage.token, pid=process.pid, file=file)
    leaked = _host_variables(attack.facts.get("environment", {}))
    if leaked:
        return escaped(f"variables of the host are inside: {', '.join(leaked[:5])}")
    return judge(attack)


def _host_variables(inside: dict[str, str]) -> list[str]:
    """Variables that crossed the border unchanged, apart from those every system sets alike."""
    usual = {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "PWD", "SHLVL"}
    return sorted(
        name
        for name, value in inside.items()
        if name not in usual and os.environ.get(name) == value and len(value) > 3
    )


@probe("read the memory of a process of the host")
async def read_memory(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(pid):
    class Span(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    def by_call():
        room = ctypes.create_string_buffer(16)
        here = Span(ctypes.addressof(room), 16)
        there = Span(ctypes.addressof(room), 16)
        try:
            spans = (ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
            return syscall("process_vm_readv", pid, *spans)
        except OSError as error:
            if error.errno == errno.EFAULT:
                return "allowed, wrong address"
            raise
    attempt("process_vm_readv", by_call)
    for target in {pid, os.getppid(), 1} - {0, os.getpid()}:
        attempt(f"mem {target}", lambda t=target: os.close(os.open(f"/proc/{t}/mem", os.O_RDWR)))
    return report()
"""
    with bystander(stage.token) as process:
        return judge(await stage.attack(code, pid=process.pid))


PROBES = (
    fork_bomb,
    thread_bomb,
    daemon,
    child_outlives_call,
    ptrace,
    kill,
    signal_by_descriptor,
    kill_own_group,
    list_processes,
    read_environment,
    read_memory,
)
