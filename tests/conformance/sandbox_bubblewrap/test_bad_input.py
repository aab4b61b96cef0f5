"""Code that is wrong, hostile or unlucky comes back as a value that says so."""

import asyncio
import time
from pathlib import Path

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import Call, Failure, Limits, Program
from hammerstone.core.errors import BadRequest

CASES = {
    "does not parse": ("def f(:", Failure.LOAD, "SyntaxError"),
    "null byte": ("def f(): pass\0", Failure.LOAD, ""),
    "fails on import": ("1 / 0", Failure.LOAD, "ZeroDivisionError"),
    "exits on import": ("raise SystemExit", Failure.LOAD, "SystemExit"),
    "lacks the function": ("def g(): pass", Failure.LOAD, "AttributeError"),
    "raises": ("def f(): raise KeyError('k')", Failure.RAISED, "KeyError"),
    "raises something that has no text": (
        "class E(Exception):\n    def __str__(self): raise RuntimeError\ndef f(): raise E",
        Failure.RAISED,
        "E",
    ),
    "recurses": ("def f(): return f()", Failure.RAISED, "RecursionError"),
    "exits": ("import sys\ndef f(): sys.exit(0)", Failure.CRASHED, "SystemExit"),
    "exits hard, with success": ("import os\ndef f(): os._exit(0)", Failure.CRASHED, ""),
    "segfaults": (
        "import ctypes\ndef f(): ctypes.string_at(0)",
        Failure.CRASHED,
        "",
    ),
    "aborts": ("import os\ndef f(): os.abort()", Failure.CRASHED, ""),
    "writes to the channel": ("import os\ndef f(): os.write(3, b'x' * 100)", Failure.FORGED, ""),
    "closes the channel": ("import os\ndef f(): os.close(3)", Failure.CRASHED, ""),
    "asks for absurd memory": ("def f(): return [0] * 10**13", Failure.MEMORY, "MemoryError"),
    "gigantic result": ("def f(): return 'x' * (2 << 20)", Failure.OUTPUT, ""),
    "gigantic number": ("def f(): return 1 << 9_000_000", Failure.OUTPUT, ""),
    "deep result": (
        "def f():\n    x = []\n    for _ in range(500): x = [x]\n    return x",
        Failure.OUTPUT,
        "WireError",
    ),
    "result that contains itself": (
        "def f():\n    x = []\n    x.append(x)\n    return x",
        Failure.OUTPUT,
        "WireError",
    ),
    "prints too much": ("def f():\n    print('x' * (3 << 20))", Failure.OUTPUT, ""),
    "prints far too much": (
        "import os\ndef f():\n    while True: os.write(1, b'x' * (1 << 20))",
        Failure.OUTPUT,
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_becomes_a_failure_and_the_sandbox_lives(run, case):
    code, failure, error_type = CASES[case]
    outcome = await run(code, limits=Limits(wall_s=10))
    assert outcome.failure is failure, outcome
    assert error_type in outcome.error_type
    assert outcome.backend == "bubblewrap"
    assert (await run("def f(): return 1")).value == 1


async def test_odd_results_cross_in_wire_form(run):
    code = "import math\ndef f(): return [math.nan, (1,), {2}, {3: 4}, b'x', f, 10**30]"
    outcome = await run(code)
    values = wire.decode(outcome.value)
    assert values[0] != values[0]
    assert values[1:5] == [(1,), {2}, {3: 4}, b"x"]
    assert values[5].type_name == "function"
    assert values[6] == 10**30


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    while True: pass",
        "import time\ndef f(): time.sleep(60)",
        "def f(): return sum(range(10 ** 12))",  # in C, deaf to signals
        "import re\ndef f(): return re.match('(a+)+b', 'a' * 60)",
        "import signal, time\ndef f():\n    for s in range(1, 32):\n        try: "
        "signal.signal(s, signal.SIG_IGN)\n        except (OSError, ValueError): pass\n"
        "    time.sleep(60)",
    ],
    ids=["loop", "sleep", "hangs in C", "hangs in a regex", "ignores signals"],
)
async def test_the_wall_clock_ends_it(run, code):
    began = time.perf_counter()
    outcome = await run(code, limits=Limits(wall_s=0.4))
    assert outcome.failure is Failure.TIMEOUT
    assert time.perf_counter() - began < 30, "it was ended, not waited for"


async def test_what_was_printed_before_the_end_is_kept(run):
    code = "import time\ndef f():\n    print('got this far', flush=True)\n    time.sleep(60)"
    outcome = await run(code, limits=Limits(wall_s=0.4))
    assert (outcome.failure, outcome.stdout) == (Failure.TIMEOUT, "got this far\n")


async def test_killing_its_group_and_everyone_hurts_only_itself(run):
    code = (
        "import os, signal\ndef f():\n"
        "    for pid in (-1, 0, os.getppid(), 1):\n"
        "        try: os.kill(pid, signal.SIGKILL)\n        except OSError: pass\n"
        "    try: os.killpg(os.getpgid(0), signal.SIGKILL)\n    except OSError: pass\n"
        "    return 'alive'\n"
    )
    outcome = await run(code)
    assert outcome.failure in (None, Failure.CRASHED)
    assert (await run("def f(): return 1")).value == 1


async def test_a_grandchild_does_not_outlive_the_call(run):
    code = (
        "import os, time\ndef f():\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork() == 0: time.sleep(60)\n        os._exit(0)\n    return 1\n"
    )
    assert (await run(code)).value == 1
    # The pid namespace ended with the call: a later one sees itself alone.
    listing = "import os\ndef f(): return [p for p in os.listdir('/proc') if p.isdigit()]"
    assert (await run(listing)).value == ["1"]


async def test_arguments_and_files_go_in_and_artifacts_come_out(run, tmp_path: Path):
    source = tmp_path / "data.csv"
    source.write_text("a,b\n1,2\n")
    code = (
        "import os\ndef f(path, scale):\n    text = open(path).read()\n"
        "    try: open(path, 'w'); writable = True\n    except OSError: writable = False\n"
        "    os.makedirs('/tmp/out/sub')\n"
        "    open('/tmp/out/sub/../a.txt', 'w').write(text * scale)\n"
        "    open('/tmp/out/sub/b.bin', 'wb').write(bytes(3))\n"
        "    os.symlink('/etc/passwd', '/tmp/out/link')\n"
        "    return writable\n"
    )
    outcome = await run(code, "/files/data.csv", 2, files={"data.csv": source})
    assert outcome.value is False, outcome
    artifacts = {artifact.name: artifact.content for artifact in outcome.artifacts}
    assert artifacts == {"a.txt": b"a,b\n1,2\n" * 2, "sub_b.bin": bytes(3)}
    assert (await run("import os\ndef f(): return os.listdir('/files')")).value == []


async def test_too_many_or_too_large_artifacts_fail(run):
    many = "def f():\n    for i in range(5): open(f'/tmp/out/{i}', 'w').write('x')"
    outcome = await run(many, limits=Limits(artifact_count=3))
    assert outcome.failure is Failure.OUTPUT
    large = "def f(): open('/tmp/out/a', 'wb').write(bytes(5 << 20))"
    outcome = await run(large, limits=Limits(artifact_bytes=1 << 20))
    assert outcome.failure is Failure.OUTPUT


async def test_a_file_name_that_leaves_the_folder_is_refused(run, tmp_path: Path):
    source = tmp_path / "x"
    source.write_text("x")
    with pytest.raises(BadRequest):
        await run("def f(): pass", files={"../x": source})
    with pytest.raises(BadRequest):
        await run("def f(): pass", files={"gone": tmp_path / "gone"})
    assert (await run("def f(): return 1")).value == 1


async def test_megabytes_of_arguments(run):
    text = "ü" * (2 << 20)
    assert (await run("def f(text): return len(text)", text)).value == len(text)


async def test_cancelling_the_task_kills_the_code(sandbox):
    program = Program("import time\ndef f(): time.sleep(60)", "f")
    task = asyncio.create_task(sandbox.call(program, Call()))
    await asyncio.sleep(0.2)
    task.cancel()
    began = time.perf_counter()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - began < 30, "it was ended, not waited for"
    quick = Program("def f(): return 1", "f")
    outcomes = await asyncio.gather(*(sandbox.call(quick, Call()) for _ in range(12)))
    assert {outcome.value for outcome in outcomes} == {1}


async def test_an_expression_is_evaluated_inside(sandbox):
    program = Program("def f(x): return x * 2\nK = 5", "f")
    outcome = await sandbox.call(program, Call(source="[f(K), f('a')]"))
    assert outcome.value == [10, "aa"]
