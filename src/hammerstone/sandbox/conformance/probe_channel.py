"""Attacks on the way results take to the host: forged answers, false success."""

import contextlib
import os
from collections.abc import Iterator

from hammerstone.core.calls import Call, Failure, Outcome
from hammerstone.sandbox.conformance.canaries import secret_file
from hammerstone.sandbox.conformance.probe import (
    ProbeFinding,
    ProbeStage,
    contained,
    describe,
    escaped,
    judge,
    probe,
)

_HONEST = "def attack(x=20):\n    return x + 1\n"


@probe("use descriptors inherited from the host", fast=True)
async def inherited_descriptors(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token):
    import stat
    for fd in range(3, 1024):
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            continue
        def use(fd=fd, mode=mode):
            if stat.S_ISDIR(mode):
                inner = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
                return f"descriptor {fd} is a folder, its parent holds {os.listdir(inner)[:3]}"
            if stat.S_ISREG(mode) and token.encode() in os.pread(fd, 1 << 16, 0):
                return f"descriptor {fd} is the host's file"
            if stat.S_ISBLK(mode):
                return f"descriptor {fd} is a disk"
            raise Blocked(f"{fd} is of type {stat.S_IFMT(mode):o}")
        attempt(str(fd), use)
    stopped.append("nothing of the host's is open")
    return report()
"""
    with secret_file(stage.token) as path, _left_open(str(path), str(path.parent)):
        return judge(await stage.attack(code, token=stage.token))


@contextlib.contextmanager
def _left_open(*paths: str) -> Iterator[None]:
    """Open the paths the careless way, so that children inherit them."""
    descriptors = [os.open(path, os.O_RDONLY) for path in paths]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, True)
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


_WRITE_EVERYWHERE = """
def attack(x=20):
    import gc, json, os, re, struct
    nonces = set()
    for thing in gc.get_objects():
        if type(thing) not in (dict, list, tuple):
            continue
        for text in list(thing.values() if type(thing) is dict else thing):
            if type(text) in (str, bytes) and 8 <= len(text) <= 128:
                word = text.decode("latin-1") if type(text) is bytes else text
                if re.fullmatch("[0-9a-f]+|[A-Za-z0-9_-]{16,}", word):
                    nonces.add(word)
    FORGED = "forged by the code"
    frames = []
    for nonce in [""] + sorted(nonces)[:50]:
        for body in ({"value": FORGED}, {"ok": True, "value": FORGED},
                     {"outcomes": [{"value": FORGED}]}, {"result": FORGED, "nonce": nonce}):
            text = json.dumps(body).encode()
            frames.append(text + b"\\n")
            frames.append(nonce.encode() + b" " + text + b"\\n")
            frames.append(struct.pack("!I", len(text)) + text)
    for fd in range(1, 64):
        try:
            os.set_blocking(fd, False)
            for frame in frames:
                os.write(fd, frame)
        except OSError:
            pass
    return x + 1
"""


@probe("write a made-up answer into every open descriptor", fast=True)
async def forge_answer(stage: ProbeStage) -> ProbeFinding:
    outcome = await stage.value(_WRITE_EVERYWHERE)
    if outcome.ok and outcome.value != 21:
        return escaped(f"the made-up answer was taken: {describe(outcome)}")
    if outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {describe(outcome)}")
    if trouble := await stage.still_works():
        return escaped(f"the next call suffers: {trouble}")
    return contained(describe(outcome))


@probe("print what looks like an answer")
async def print_answer(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import json, os, sys
    for body in ({"value": "forged"}, {"ok": True, "value": "forged"}, "forged"):
        text = json.dumps(body)
        print(text)
        print(text, file=sys.__stdout__)
        os.write(1, text.encode() + b"\\n")
    sys.stdout.flush()
    return 21
"""
    return _only(await stage.value(code), 21)


@probe("end the process as if all were well", fast=True)
async def exit_zero(stage: ProbeStage) -> ProbeFinding:
    return _no_success(await stage.value("def attack():\n    import os\n    os._exit(0)\n"))


@probe("raise SystemExit(0) and KeyboardInterrupt through the harness")
async def system_exit(stage: ProbeStage) -> ProbeFinding:
    for error in ("SystemExit(0)", "KeyboardInterrupt()", "GeneratorExit()", "BaseException()"):
        outcome = await stage.value(f"def attack():\n    raise {error}\n")
        found = _no_success(outcome)
        if not found.contained:
            return escaped(f"{error}: {found.detail}")
    return contained(f"each is a failure, the last: {describe(outcome)}")


@probe("make exit handlers and finalisers say something better")
async def exit_handlers(stage: ProbeStage) -> ProbeFinding:
    code = """
import atexit, gc, json, os, sys
def late(*_):
    for fd in range(1, 64):
        try:
            os.write(fd, json.dumps({"ok": True, "value": "forged"}).encode() + b"\\n")
        except OSError:
            pass
atexit.register(late)
sys.excepthook = late
class Last:
    __del__ = late
keep = Last()
def attack():
    raise ValueError("honest failure")
"""
    outcome = await stage.value(code)
    return _no_success(outcome)


@probe("patch the harness, the encoder and the built-ins, to change how others are judged")
async def patch_harness(stage: ProbeStage) -> ProbeFinding:
    code = """
import builtins, gc, json, sys, types
def forged(*_, **__):
    return '{"ok": true, "value": "forged"}'
for module in list(sys.modules.values()):
    for name in ("dumps", "encode", "report", "send", "write", "compare", "equal"):
        if isinstance(getattr(module, name, None), (types.FunctionType, types.BuiltinFunctionType)):
            try:
                setattr(module, name, forged)
            except (AttributeError, TypeError):
                pass
builtins.repr = builtins.isinstance = forged
def attack(x=20):
    return "whatever"
"""
    rows = await stage.rows([_HONEST, code, _HONEST], [Call(args=(20,)), Call(args=(41,))])
    for row in (rows[0], rows[2]):
        if [outcome.value for outcome in row] != [21, 42]:
            return escaped(f"an honest program was judged by a patched harness: {describe(row[0])}")
    if trouble := await stage.still_works():
        return escaped(f"the next call suffers: {trouble}")
    return contained("only its own values changed: " + describe(rows[1][0]))


@probe("find the expected value in the heap, the frames, the arguments or the files")
async def read_expected(stage: ProbeStage) -> ProbeFinding:
    expected = f"{stage.token}expected"
    code = """
def attack(half):
    import gc, sys
    needle = half + "expected"
    def search():
        frame = sys._getframe()
        while frame:
            for name, value in list(frame.f_locals.items()):
                if value == needle and name != "needle":
                    return "frame variable " + name
            frame = frame.f_back
        for thing in gc.get_objects():
            if type(thing) is dict:
                for key, value in list(thing.items()):
                    if type(value) is str and value == needle and key != "needle":
                        return "a dictionary on the heap"
            if type(thing) in (list, tuple) and any(type(v) is str and v == needle for v in thing):
                return "a list on the heap"
        for folder in (tempfile.gettempdir(), "/files", os.getcwd()):
            for base, _, names in os.walk(folder):
                for name in names:
                    try:
                        if needle.encode() in read(os.path.join(base, name), 1 << 20):
                            return os.path.join(base, name)
                    except OSError:
                        pass
        for path in ("/proc/self/cmdline", "/proc/self/environ"):
            try:
                if needle.encode() in read(path):
                    return path
            except OSError:
                pass
        raise Blocked("heap, frames, arguments and files do not hold it")
    attempt("search", search)
    return report()
"""
    held = [expected]  # the host knows it all the while
    attack = await stage.attack(code, half=stage.token)
    return judge(attack) if held == [expected] else escaped("inconclusive")


@probe("close every descriptor, then return")
async def close_everything(stage: ProbeStage) -> ProbeFinding:
    code = "def attack():\n    import os\n    os.closerange(0, 1024)\n    return 21\n"
    outcome = await stage.value(code)
    if trouble := await stage.still_works():
        return escaped(f"the next call suffers: {trouble}")
    return contained(describe(outcome)) if not outcome.ok else _only(outcome, 21)


def _only(outcome: Outcome, value: int) -> ProbeFinding:
    if outcome.ok and outcome.value != value:
        return escaped(f"the made-up answer was taken: {describe(outcome)}")
    if outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {describe(outcome)}")
    return contained(describe(outcome))


def _no_success(outcome: Outcome) -> ProbeFinding:
    if outcome.ok:
        return escaped(f"taken as success: {describe(outcome)}")
    if outcome.failure in (Failure.LOAD, Failure.LOST):
        return escaped(f"inconclusive, {describe(outcome)}")
    return contained(describe(outcome))


PROBES = (
    inherited_descriptors,
    forge_answer,
    print_answer,
    exit_zero,
    system_exit,
    exit_handlers,
    patch_harness,
    read_expected,
    close_everything,
)
