"""Attacks on later calls: whatever one call leaves behind, the next must not find."""

from hammerstone.core.calls import Call
from hammerstone.sandbox.conformance.probe import (
    ProbeFinding,
    ProbeStage,
    contained,
    describe,
    escaped,
    judge,
    probe,
)


async def _leave_and_look(stage: ProbeStage, leave: str, look: str) -> ProbeFinding:
    """Run `leave` often enough to meet every warm process, then `look` as often."""
    for _ in range(2):
        left = await stage.attack(leave, token=stage.token)
        if left.inconclusive:
            return escaped(left.inconclusive)
    found = None
    for _ in range(2):
        found = judge(await stage.attack(look, token=stage.token))
        if not found.contained:
            return found
    return found or escaped("inconclusive")


@probe("poison modules and built-ins for the next call", fast=True)
async def poisoned_modules(stage: ProbeStage) -> ProbeFinding:
    leave = """
def attack(token):
    import builtins, json, math, sys
    builtins.left_behind = token
    math.pi = 3
    json.dumps_was = json.loads
    sys.modules["left_behind"] = sys
    sys.path.insert(0, token)
    return report()
"""
    look = """
def attack(token):
    import builtins, json, math, sys
    marks = {"built-in": hasattr(builtins, "left_behind"), "math.pi": math.pi == 3,
             "json": hasattr(json, "dumps_was"), "module": "left_behind" in sys.modules,
             "path": token in sys.path}
    reached.extend(name for name, there in marks.items() if there)
    stopped.append("modules are as new")
    return report()
"""
    return await _leave_and_look(stage, leave, look)


@probe("leave files in the temporary folder for the next call", fast=True)
async def leftover_files(stage: ProbeStage) -> ProbeFinding:
    leave = """
def attack(token):
    for folder in (tempfile.gettempdir(), os.getcwd(), "/dev/shm", "/var/tmp"):
        for name in (token, "." + token):
            try:
                with open(os.path.join(folder, name), "w") as file:
                    file.write(token)
            except OSError as error:
                stopped.append(str(error))
    return report()
"""
    look = """
def attack(token):
    for folder in (tempfile.gettempdir(), os.getcwd(), "/dev/shm", "/var/tmp"):
        for name in (token, "." + token):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                reached.append(path)
                try:
                    os.unlink(path)
                except OSError:
                    pass
    stopped.append("folders are empty")
    return report()
"""
    return await _leave_and_look(stage, leave, look)


@probe("leave shared memory, queues and semaphores for the next call")
async def leftover_ipc(stage: ProbeStage) -> ProbeFinding:
    number = int(stage.token[2:8], 16)
    leave = f"""
def attack(token):
    attempt("shm", lambda: syscall("shmget", {number}, 4096, 0o1666))
    attempt("queue", lambda: syscall("msgget", {number}, 0o1666))
    attempt("semaphore", lambda: syscall("semget", {number}, 1, 0o1666))
    reached.clear()
    return report()
"""
    look = f"""
def attack(token):
    def shm():
        key = syscall("shmget", {number}, 0, 0)
        syscall("shmctl", key, 0, 0)
        return key
    attempt("shm", shm)
    attempt("queue", lambda: libc.msgctl(syscall("msgget", {number}, 0), 0, None))
    attempt("semaphore", lambda: libc.semctl(syscall("semget", {number}, 0, 0), 0, 0))
    return report()
"""
    return await _leave_and_look(stage, leave, look)


@probe("change environment, working folder, umask, limits and signals for the next call")
async def process_settings(stage: ProbeStage) -> ProbeFinding:
    leave = """
def attack(token):
    import resource, signal, locale, random, threading
    os.environ["LEFT_BEHIND"] = token
    os.umask(0o123)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (33, 33))
    random.seed(1)
    try:
        os.chdir("/")
    except OSError:
        pass
    threading.Thread(target=lambda: __import__("time").sleep(60), daemon=True).start()
    return report()
"""
    look = """
def attack(token):
    import resource, signal, threading
    marks = {"environment": "LEFT_BEHIND" in os.environ, "umask": os.umask(0o77) == 0o123,
             "signal": signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN,
             "limit": resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 33,
             "folder": os.getcwd() == "/", "threads": threading.active_count() > 1}
    reached.extend(name for name, there in marks.items() if there)
    stopped.append("process settings are as new")
    return report()
"""
    return await _leave_and_look(stage, leave, look)


@probe("see another program's code and inputs in the same matrix")
async def other_programs(stage: ProbeStage) -> ProbeFinding:
    secret = (
        f"def attack(half):\n    word = {stage.token!r} + '-of-the-other'\n    return len(word)\n"
    )
    spy = """
def attack(half):
    import gc
    needle = half + "'" + " + '-of-the-other'"
    for thing in gc.get_objects():
        if type(thing) not in (dict, list, tuple):
            continue
        for value in list(thing.values() if type(thing) is dict else thing):
            if type(value) is str and needle in value and value != needle:
                return "the other program's source"
    return "nothing"
"""
    rows = await stage.rows([secret, spy, secret], [Call(args=(stage.token,))])
    outcome = rows[1][0]
    if not outcome.ok:
        return escaped(f"inconclusive, {describe(outcome)}")
    if outcome.value != "nothing":
        return escaped(f"found {outcome.value}")
    return contained("the heap holds its own source only")


PROBES = (poisoned_modules, leftover_files, leftover_ipc, process_settings, other_programs)
