"""What `evals.stop` interrupts: an engine with everything that can run, and what is seen of it.

A scripted model that takes its time plays the model, a connector in this process the outside;
sandbox and database are real.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.connectors import ConnectorResult, Offer
from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import SystemClock
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Case, CaseKind
from hammerstone.guard.stop import StopSwitch
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel
from hammerstone.storage import Database
from tests.integration.engine import PERCENT_CODE, add_tool, percent_script
from tests.integration.proofs.tasks import answered, proof_script, task
from tests.unit.library.skills.conftest import write_skill

SPIN = """def {name}(seconds: float) -> float:
    for _ in range(int(seconds * 20_000_000)):
        pass
    {last}
"""
SPIN_S = 3.0  # about: it counts, since a clock would make the tool impure
SECONDS = {"seconds": {"type": "number", "description": "how long"}}


@dataclass(slots=True)
class Traffic:
    """What is under way, and when each of its kind began."""

    running: int = 0
    began_s: list[float] = field(default_factory=list[float])

    @asynccontextmanager
    async def passing(self) -> AsyncGenerator[None]:
        self.running += 1
        self.began_s.append(asyncio.get_running_loop().time())
        try:
            yield
        finally:
            self.running -= 1

    def since(self, at_s: float) -> int:
        return sum(began_s > at_s for began_s in self.began_s)


class SeenModel(ScriptedModel):
    def __init__(self, script: Callable[[Prompt], Line], seconds_per_piece: float) -> None:
        super().__init__(script, seconds_per_piece=seconds_per_piece)
        self.traffic = Traffic()

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        async with self.traffic.passing():
            return await super().complete(prompt, on_token=on_token)


class SeenSandbox:
    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.traffic = Traffic()

    @property
    def backend(self) -> str:
        return self._inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        async with self.traffic.passing():
            return await self._inner.call(program, call, limits=limits, files=files)

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **more: Any
    ) -> list[list[Outcome]]:
        async with self.traffic.passing():
            return await self._inner.matrix(programs, calls, **more)

    async def close(self) -> None:
        await self._inner.close()


class SlowService:
    """A connector whose one operation answers after a while."""

    name, service = "slow", "http:slow"

    def __init__(self) -> None:
        self.traffic = Traffic()

    async def offers(self) -> list[Offer]:
        return [Offer("slow.wait", "slow", "Answers after a while.", {"type": "object"})]

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        async with self.traffic.passing():
            await asyncio.sleep(SPIN_S)
            return ConnectorResult("waited", "waited", "here")

    async def close(self) -> None:
        return


class Scene:
    """An open engine with something for every door to do."""

    def __init__(self, hs: Hammerstone, model: SeenModel, elsewhere: Database, folder: Path):
        self.hs = hs
        self.model = model
        self.switch = StopSwitch(elsewhere.stops, SystemClock())  # another process's
        self.service = SlowService()
        self.folder = folder
        self.sandbox: SeenSandbox | None = None
        self.trace = ""

    async def furnish(self) -> None:
        hs = self.hs
        opened = await hs._wiring.services.workshop.sandbox()
        self.sandbox = hs._wiring.sandbox.opened = SeenSandbox(opened)
        hs.connectors._by_name["slow"] = self.service
        number = {"type": "number"}
        spin = SPIN.format(name="spin", last="return seconds")
        suite = tuple(Case(CaseKind.VALUE, Call(kwargs={"seconds": s}), s) for s in (0.5, 1.0))
        await add_tool(hs, spin, "Spin for a while.", SECONDS, number, suite=suite)
        self.trace = (await hs.run_tool("spin", {"seconds": SPIN_S})).trace_id
        lines = SPIN.format(name="spin", last="return seconds")
        script = f"{lines}\nspin({SPIN_S})\n"
        made = write_skill(self.folder / "spin-skill", scripts__main___py=script)
        await hs.skills.add(hs.skills.read(made), replace=True)
        await hs.library.export(self.folder / "tools", ["spin"])

    def traffics(self) -> Iterable[Traffic]:
        assert self.sandbox is not None
        return (self.model.traffic, self.sandbox.traffic, self.service.traffic)

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way: no call, and no process of the sandbox that computes."""
        return not any(one.running for one in self.traffics()) and not busy_descendants()


@asynccontextmanager
async def open_scene(data_dir: Path, seconds_per_piece: float = 0.1) -> AsyncGenerator[Scene]:
    model = SeenModel(_script(), seconds_per_piece)
    settings = Settings(data_dir=data_dir, embedder="off", starter_tools=False)
    async with Hammerstone.open(settings, models=OneModel(model)) as hs:
        elsewhere = await Database.open(settings)
        scene = Scene(hs, model, elsewhere, data_dir)
        try:
            await scene.furnish()
            yield scene
        finally:
            await scene.switch.resume("all")
            await scene.switch.close()
            await elsewhere.close()


def _script() -> Callable[[Prompt], Line]:
    solves, proves = percent_script(fit='{"fits": false}', fix=PERCENT_CODE), proof_script()

    def answer(prompt: Prompt) -> Line:
        about_tip = "tip" in "".join(message.text for message in prompt.messages)
        return proves(prompt) if about_tip and prompt.purpose != "solution" else solves(prompt)

    return answer


async def ask(scene: Scene, number: int) -> None:
    await scene.hs.ask(f"What is 17.5% of 240? Attempt {number}.", session=f"ask-{number}")


async def store_proof(scene: Scene, number: int) -> None:
    name = f"proof-{number}"
    await answered(scene.hs, name, name)
    await scene.hs.proofs.put(task(scene.hs, run_id=name, session=name))


async def prove(scene: Scene, number: int) -> None:
    await scene.hs.proofs.work_off()


async def work(scene: Scene, number: int) -> None:
    """The background worker; it goes on for as long as it is let."""
    worker = scene.hs.proofs.worker
    worker.start()
    worker.wake()
    try:
        await asyncio.sleep(600)
    finally:
        await worker.close()


async def examine(scene: Scene, number: int) -> None:
    await scene.hs.examining.reexamine("spin")


async def break_down(scene: Scene, number: int) -> None:
    """A tool that failed in two sessions, for learning to look into."""
    name = f"break_down_{number}"
    code = SPIN.format(name=name, last="return {}['missing']")
    kept = Case(CaseKind.RAISES, Call(kwargs={"seconds": 0.1}), "KeyError")
    await add_tool(scene.hs, code, "Break down.", SECONDS, {"type": "number"}, suite=(kept,))
    for session in ("a", "b"):
        await scene.hs.run_tool(name, {"seconds": 0.2}, session=f"{session}-{number}")


async def learn(scene: Scene, number: int) -> None:
    await scene.hs.learning.run()


async def run_skill(scene: Scene, number: int) -> None:
    await scene.hs.skill_runs.run("spin-skill", {})


async def call_connector(scene: Scene, number: int) -> None:
    await scene.hs.connectors.call("slow.wait", {})


async def replay(scene: Scene, number: int) -> None:
    await scene.hs.traces.replay(scene.trace)


async def edit(scene: Scene, number: int) -> None:
    """A folder whose tool was edited: the edit is proved before it is taken in."""
    code = SPIN.format(name="spin", last=f"return seconds + 0 * {number}")
    (scene.folder / "tools" / "spin" / "tool.py").write_text(code, "utf-8")


async def sync(scene: Scene, number: int) -> None:
    await scene.hs.library.sync(scene.folder / "tools")


async def nothing(scene: Scene, number: int) -> None:
    return


Step: TypeAlias = Callable[[Scene, int], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Act:
    """Something that can be stopped. `ready` comes before it, undisturbed."""

    run: Step
    ready: Step = nothing


ACTS: dict[str, Act] = {
    "ask": Act(ask),
    "prove": Act(prove, store_proof),
    "examine": Act(examine),
    "learn": Act(learn, break_down),
    "skills run": Act(run_skill),
    "connectors call": Act(call_connector),
    "replay": Act(replay),
    "tools sync": Act(sync, edit),
    "worker": Act(work, store_proof),
}


def busy_descendants() -> int:
    """Processes below this one that compute at this moment."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            with suppress(OSError, IndexError):
                stat = Path(f"/proc/{entry}/stat").read_text()
                state, parent = stat.rpartition(")")[2].split()[:2]
                parents[int(entry)] = (int(parent), state)
    return sum(state == "R" and _below(pid, parents) for pid, (_, state) in parents.items())


def _below(pid: int, parents: Mapping[int, tuple[int, str]]) -> bool:
    own = os.getpid()
    while pid in parents and pid != own:
        pid = parents[pid][0]
        if pid == own:
            return True
    return False
