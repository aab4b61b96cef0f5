"""A matrix: many calls in one process, each as if it were alone."""

import asyncio
import time

from hammerstone.core.calls import Call, Failure, Limits, Program


def _program(code: str) -> Program:
    return Program(code, "f")


NUMBERS = [Call(args=(number,)) for number in range(6)]


async def test_rows_and_columns_are_in_order(sandbox):
    programs = [_program(f"def f(x): return x * {factor}") for factor in range(9)]
    rows = await sandbox.matrix(programs, NUMBERS)
    assert [[outcome.value for outcome in row] for row in rows] == [
        [x * factor for x in range(6)] for factor in range(9)
    ]


async def test_a_call_that_times_out_or_dies_loses_only_itself(sandbox):
    programs = [
        _program("def f(x):\n    while x == 2: pass\n    return x"),
        _program("import os\ndef f(x):\n    if x in (1, 4): os._exit(3)\n    return x"),
        _program("def f(x):\n    if x == 3: return bytearray(100 << 20)\n    return x"),
        _program("import os\ndef f(x):\n    if x == 0: os.write(3, b'forged')\n    return x"),
    ]
    limits = Limits(memory_bytes=48 << 20)
    rows = await sandbox.matrix(programs, NUMBERS, case_wall_s=2.0, limits=limits)
    failures = [{i: o.failure for i, o in enumerate(row) if not o.ok} for row in rows]
    assert failures == [
        {2: Failure.TIMEOUT},
        {1: Failure.CRASHED, 4: Failure.CRASHED},
        {3: Failure.MEMORY},
        {0: Failure.FORGED},
    ]
    for row in rows:
        assert all(outcome.value == i for i, outcome in enumerate(row) if outcome.ok)


async def test_a_module_that_does_not_load_fails_every_call(sandbox):
    (row,) = await sandbox.matrix([_program("import nothing_like_that")], NUMBERS)
    assert {outcome.failure for outcome in row} == {Failure.LOAD}
    assert {outcome.error_type for outcome in row} == {"ModuleNotFoundError"}


async def test_calls_do_not_see_each_others_state(sandbox):
    programs = [
        _program("seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)"),
        _program("def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)"),
        _program(
            "import os\ndef f(x):\n    open(f'/tmp/{x}', 'w')\n    return len(os.listdir('/tmp'))"
        ),
        _program(
            "import math\ndef f(x):\n    found = math.pi\n    math.pi = 3\n    return found > 3"
        ),
        _program(
            "import os\ndef f(x):\n    old = os.environ.get('X')\n"
            "    os.environ['X'] = '1'\n    return old"
        ),
        _program(
            "import threading, time\ndef f(x):\n    n = threading.active_count()\n"
            "    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n    return n"
        ),
        _program("import random\nrandom.seed(1)\ndef f(x): return random.random()"),
    ]
    rows = await sandbox.matrix(programs, NUMBERS)
    values = [[outcome.value for outcome in row] for row in rows]
    assert values[0] == values[1] == [1] * 6
    assert max(values[2]) <= 2
    assert values[3] == [True] * 6
    assert values[4] == [None] * 6
    assert values[5] == [1] * 6
    assert len(set(values[6])) == 1  # a seed of the module's own holds for each call


async def test_printed_text_belongs_to_its_call(sandbox):
    (row,) = await sandbox.matrix(
        [_program("def f(x):\n    print('call', x)\n    return x")], NUMBERS
    )
    assert [outcome.stdout for outcome in row] == [f"call {x}\n" for x in range(6)]


async def test_the_whole_row_has_a_wall_too(sandbox):
    began = time.perf_counter()
    (row,) = await sandbox.matrix(
        [_program("def f(x):\n    while True: pass")],
        NUMBERS,
        case_wall_s=20,
        limits=Limits(wall_s=1.2),
    )
    assert {outcome.failure for outcome in row} == {Failure.TIMEOUT}
    assert time.perf_counter() - began < 20, "one case alone would have had as long"


async def test_a_single_call_is_not_kept_waiting_by_a_matrix(sandbox):
    slow = [_program("import time\ndef f(x): time.sleep(0.2); return x") for _ in range(12)]
    matrix = asyncio.create_task(sandbox.matrix(slow, NUMBERS[:2]))
    await asyncio.sleep(0.3)
    assert (await sandbox.call(_program("def f(x): return x"), Call(args=(1,)))).value == 1
    assert not matrix.done()
    await matrix


async def test_nothing_to_do(sandbox):
    assert await sandbox.matrix([], NUMBERS) == []
    assert await sandbox.matrix([_program("def f(): pass")], []) == [[]]


async def test_use_is_measured(sandbox):
    outcome = await sandbox.call(_program("def f(): return len(bytearray(50 << 20))"), Call())
    assert outcome.use.peak_memory_bytes > 50 << 20
    assert outcome.use.cpu_s > 0 and outcome.use.wall_s > 0
