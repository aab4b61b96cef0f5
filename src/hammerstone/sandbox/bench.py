"""What a call costs, beside what starting nothing costs, measured in turns in one run."""

import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core.calls import HEAVY, STANDARD, Call, Program
from hammerstone.core.errors import SandboxError
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.settings import Settings
from hammerstone.sandbox.bubblewrap.cold import ColdBubblewrap
from hammerstone.sandbox.bubblewrap.opening import cgroup_tree
from hammerstone.sandbox.opening import open_backend_sandbox, open_sandbox, slots_of
from hammerstone.sandbox.runtime import add_packages, prepare_runtime
from hammerstone.sandbox.runtime.layers import Runtime
from hammerstone.sandbox.sandbox import GuestSandbox

_ADD = Program("def add(x):\n    return x + 1\n", "add")
_TESTS = """
import pytest

def test_sum(): assert 1 + 1 == 2

def test_upper(): assert "a".upper() == "A"

def test_order(): assert sorted([2, 1]) == [1, 2]

def test_error():
    with pytest.raises(ValueError):
        int("x")

@pytest.mark.parametrize("number", [1])
def test_type(number): assert isinstance(number, int)
"""
_OPTIONS = ["-q", "-p", "no:cacheprovider"]
_RUN_TESTS = Program(
    f"import pytest\nTESTS = {_TESTS!r}\n"
    "def run():\n"
    "    open('/tmp/test_tool.py', 'w').write(TESTS)\n"
    f"    return int(pytest.main({_OPTIONS!r} + ['/tmp/test_tool.py']))\n",
    "run",
)
_FORKS = (
    "import os, time\n"
    "for _ in range({n}):\n"
    "    t = time.perf_counter(); pid = os.fork()\n"
    "    if pid == 0: os._exit(0)\n"
    "    os.waitpid(pid, 0); print(time.perf_counter() - t)\n"
)
_CLIENTS = (1, 2, 8)
_PATIENT = replace(STANDARD, wall_s=HEAVY.wall_s)  # a busy machine is slow, and no failure

Sample = Callable[[], Awaitable[list[float]]]


@dataclass(slots=True)
class _Series:
    """Seconds of one thing, a list for each round."""

    rounds: list[list[float]] = field(default_factory=list[list[float]])

    def summary(self) -> JsonObject:
        p50 = statistics.median(statistics.median(r) for r in self.rounds)
        p95 = statistics.median(_quantile(r, 0.95) for r in self.rounds)
        count = sum(len(r) for r in self.rounds)
        return {"p50_ms": round(p50 * 1e3, 3), "p95_ms": round(p95 * 1e3, 3), "n": count}


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class SandboxBench:
    """Measures everything in turns, round after round; `run` gives the medians of the rounds."""

    def __init__(
        self, settings: Settings, rounds: int = 5, clients_s: float = 1.0, scale: float = 1.0
    ) -> None:
        self._settings = settings
        self._rounds = rounds
        self._clients_s = clients_s
        self._scale = scale  # of the number of samples in a round
        self._reasons: dict[str, Json] = {}

    async def run(self) -> JsonObject:
        runtime = await add_packages(self._settings, await prepare_runtime(self._settings))
        async with self._sandboxes(runtime) as (warm, cold, container):
            samples = self._samples(runtime, warm, cold, container)
            for sample in samples.values():  # once unmeasured: pages, caches, first servers
                await sample()
            series = {name: _Series() for name in samples}
            speeds: dict[int, list[float]] = {clients: [] for clients in _CLIENTS}
            for _ in range(self._rounds):
                for name, sample in samples.items():
                    series[name].rounds.append(await sample())
                for clients in _CLIENTS:
                    speeds[clients].append(await self._throughput(warm, clients))
        result: JsonObject = dict.fromkeys(_NAMES)
        result.update({name: one.summary() for name, one in series.items()})
        medians = {str(n): round(statistics.median(s), 1) for n, s in speeds.items()}
        result["calls_per_s"] = dict[str, Json](medians)
        result["backend"] = warm.backend
        result["slots"] = slots_of(self._settings)
        result["cores"] = len(os.sched_getaffinity(0))
        result["rounds"] = self._rounds
        result["ratios"] = _ratios(result)
        result["reasons"] = self._reasons
        return result

    @contextlib.asynccontextmanager
    async def _sandboxes(
        self, runtime: Runtime
    ) -> AsyncIterator[tuple[GuestSandbox, GuestSandbox | None, GuestSandbox | None]]:
        async with contextlib.AsyncExitStack() as stack:
            warm = await open_sandbox(self._settings)
            stack.push_async_callback(warm.close)
            cold = container = None
            if warm.backend == "bubblewrap":
                cold = GuestSandbox(ColdBubblewrap(runtime, cgroup_tree(), 2))
                stack.push_async_callback(cold.close)
            else:
                self._reasons["cold_call"] = f"{warm.backend} has no cold start of its own"
            try:
                container = await open_backend_sandbox("container", self._settings, prove=False)
                stack.push_async_callback(container.close)
            except SandboxError as error:
                self._reasons["container_call"] = error.message
            yield warm, cold, container

    def _samples(
        self,
        runtime: Runtime,
        warm: GuestSandbox,
        cold: GuestSandbox | None,
        container: GuestSandbox | None,
    ) -> dict[str, Sample]:
        samples: dict[str, Sample] = {
            "python_startup": lambda: _commands(
                [sys.executable, "-I", "-c", "pass"], self._many(15)
            ),
            "bare_fork": _forks,
            "warm_call": lambda: _calls(warm, _ADD, self._many(30), 1),
            "matrix_10x50": lambda: _matrix(warm),
        }
        if cold is not None:
            samples["cold_call"] = lambda: _calls(cold, _ADD, self._many(4), 1)
        if container is not None:
            samples["container_call"] = lambda: _calls(container, _ADD, self._many(2), 1)
        if runtime.packages is None:
            self._reasons["warm_pytest"] = f"packages are not installed: {runtime.missing}"
            return samples
        packages = runtime.packages
        samples["warm_pytest"] = lambda: _calls(warm, _RUN_TESTS, self._many(4), None)
        if cold is not None:
            samples["cold_pytest"] = lambda: _calls(cold, _RUN_TESTS, 1, None)
        samples["plain_pytest"] = lambda: _plain_pytest(packages)
        return samples

    def _many(self, count: int) -> int:
        return max(1, round(count * self._scale))

    async def _throughput(self, sandbox: GuestSandbox, clients: int) -> float:
        done = 0
        began = time.perf_counter()

        async def client() -> None:
            nonlocal done
            while time.perf_counter() < began + self._clients_s:
                await _calls(sandbox, _ADD, 1, 1)
                done += 1

        await asyncio.gather(*(client() for _ in range(clients)))
        return done / (time.perf_counter() - began)


_NAMES = (
    "python_startup",
    "bare_fork",
    "warm_call",
    "cold_call",
    "warm_pytest",
    "cold_pytest",
    "plain_pytest",
    "container_call",
    "matrix_10x50",
)


def _ratios(result: JsonObject) -> JsonObject:
    """The comparisons that the targets are about; nothing where a part was not measured."""

    def p50(name: str) -> float | None:
        one = result[name]
        return float(one["p50_ms"]) if isinstance(one, dict) else None  # type: ignore[arg-type]

    def over(above: str, below: str, times: float = 1.0) -> float | None:
        first, second = p50(above), p50(below)
        return None if first is None or not second else round(first / second / times, 3)

    return {
        "warm_call_to_python_startup": over("warm_call", "python_startup"),
        "warm_call_to_bare_fork": over("warm_call", "bare_fork"),
        "container_call_to_warm_call": over("container_call", "warm_call"),
        "matrix_candidate_to_warm_call": over("matrix_10x50", "warm_call", 10),
        "warm_pytest_to_plain_pytest": over("warm_pytest", "plain_pytest"),
    }


def _python() -> str:
    """The interpreter outside any environment, so that only the named packages are found."""
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return str(base if base.exists() else sys.executable)


async def _commands(
    command: list[str], count: int, env: dict[str, str] | None = None
) -> list[float]:
    """Seconds from start to end; in this thread and without pipes, which would only add to it."""
    await asyncio.sleep(0.02)  # what the step before left to do is not this one's
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)  # noqa: ASYNC221
        times.append(time.perf_counter() - began)
    return times


async def _forks() -> list[float]:
    command = [_python(), "-I", "-c", _FORKS.format(n=40)]
    result = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    return [float(line) for line in result.stdout.split()]


async def _calls(
    sandbox: GuestSandbox, program: Program, count: int, argument: int | None
) -> list[float]:
    call = Call(args=() if argument is None else (argument,))
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        outcome = await sandbox.call(program, call, limits=_PATIENT)
        times.append(time.perf_counter() - began)
        if not outcome.ok:
            raise SandboxError(f"a call of the measurement failed: {outcome.error}")
    return times


async def _matrix(sandbox: GuestSandbox) -> list[float]:
    programs = [Program(f"def add(x):\n    return x + {i}\n", "add") for i in range(10)]
    calls = [Call(args=(i,)) for i in range(50)]
    began = time.perf_counter()
    rows = await sandbox.matrix(programs, calls, limits=_PATIENT, case_wall_s=_PATIENT.wall_s)
    spent = time.perf_counter() - began
    if not all(outcome.ok for row in rows for outcome in row):
        raise SandboxError("a call of the measurement failed")
    return [spent]


async def _plain_pytest(packages: Path) -> list[float]:
    """The same tests with the same packages, started anew and without any protection."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "test_tool.py"
        file.write_text(_TESTS)
        # Without a root of its own pytest looks at everything that lies in the folders above.
        own = ["--rootdir", folder, "--confcutdir", folder]
        command = [_python(), "-S", "-B", "-m", "pytest", *_OPTIONS, *own, str(file)]
        environment = {"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin", "HOME": folder}
        return await _commands(command, 1, env=environment)
