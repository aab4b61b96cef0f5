"""Where proofs are stored, looked up and waited for; `hs.proofs`."""

import ast
import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from hammerstone.app.proofs.proof_reports import ProofReports
from hammerstone.app.proofs.prover import Prover
from hammerstone.app.proofs.result import KIND, ProofResult
from hammerstone.app.proofs.worker import FinishedProof, Worker
from hammerstone.app.queue.traffic import Traffic
from hammerstone.core.answers import Answer, Proof
from hammerstone.core.hashing import digest
from hammerstone.core.holder import is_dead
from hammerstone.core.jobs import Asker, Job, JobState, QueuePlace
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Jobs
from hammerstone.core.solutions import ProofTask, Solution
from hammerstone.core.syntax import syntax_tree
from hammerstone.library.tools.sharing import ELSEWHERE
from hammerstone.models.local.rendezvous import Neighbours
from hammerstone.run.services import Records, Services
from hammerstone.synthesis.code.tidy import tidy
from hammerstone.synthesis.witnesses import Notify

_LOOK_AGAIN_S = 0.25


@dataclass(frozen=True, slots=True)
class PendingProof:
    """A stored proof as people see it."""

    key: str
    function: str
    request: str
    state: str  # waiting, proving, done, failed
    attempts: int
    reason: str
    askers: int
    result: ProofResult | None = None

    def to_json(self) -> JsonObject:
        return {**asdict(self), "result": self.result.to_json() if self.result else None}


class ProofDesk:
    """`core.seams.Proofs`, and what there is to know about them."""

    def __init__(self, services: Services, neighbours: Neighbours | None = None) -> None:
        self._records = services.records
        self.traffic = Traffic(neighbours)
        prover = Prover(services, self.traffic)
        teller = ProofReports(
            services.catalogue, services.workshop.sandbox, services.records, services.memories
        )
        self.worker = Worker(services.records, services.guards, self.traffic, prover, teller)

    async def put(self, task: ProofTask, jobs: Jobs | None = None) -> bool:
        asker = self.asker(task)
        if asker is None:
            return False
        place = QueuePlace(task.user)
        await (jobs or self._records.db.jobs).put(KIND, key_of(task.winner), asker, place)
        if jobs is None:
            self.wake()
        return True

    def wake(self) -> None:
        self.worker.wake()

    def asker(self, task: ProofTask) -> Asker | None:
        """What is stored for a task: `await stores.jobs.put(KIND, key_of(task.winner), asker)`.

        Nothing private is stored. Where the request's values are private, the proof goes on
        without them; where the code itself is, there is none.
        """
        records = self._records
        rivals = tuple(one for one in task.rivals if records.storable(one.code))
        task = replace(task, rivals=rivals)
        # The ids are our own; the scrubber would take them for keys.
        said: Any = {"request": task.request, "value": task.value, "files": [*task.files]}
        said |= {"settled": [*task.settled]}
        said |= {"calls": [task.winner.call, *(one.call for one in rivals)]}
        private = not records.storable(said)
        if not records.storable(task.winner.code):
            return None
        if private:
            winner = _scrubbed(records, task.winner)
            rivals = tuple(_scrubbed(records, one) for one in rivals)
            task = replace(task, request=records.clean_text(task.request), winner=winner)
            task = replace(task, value=None, rivals=rivals, settled=())
        return Asker(task.run_id, {"task": task.to_json(), "private": private}, task.session_id)

    async def state(self, run_id: str) -> Proof:
        """How far the proof behind a run's answer is; of several steps, the least of them."""
        jobs = await self._records.db.jobs.of_asker(KIND, run_id)
        states = {_state_of(job, run_id) for job in jobs}
        return next((state for state in _LEAST_FIRST if state in states), Proof.NONE)

    async def pending(self) -> "list[PendingProof]":
        """The proofs that are owed, oldest first."""
        return await self.list([JobState.WAITING])

    async def owed_to(self, user: str) -> "list[PendingProof]":
        """The proofs that a person's own answers wait for, failed ones too."""
        states = [JobState.WAITING, JobState.FAILED]
        found = await self._records.db.jobs.list(KIND, states, limit=1000)
        now, mine = self._records.clock.now(), list[PendingProof]()
        for job in found:
            askers = tuple(one for one in job.askers if _user_of(one) == user)
            if askers:
                shown = _shown(replace(job, askers=askers), proving=_is_done_now(job, now))
                mine.append(_told_to(shown, user))
        return mine

    async def list(
        self, states: "Sequence[JobState]" = (), user: str | None = None
    ) -> "list[PendingProof]":
        """Stored proofs, oldest first; with `user`, without what others asked."""
        now = self._records.clock.now()
        found = await self._records.db.jobs.list(KIND, states)
        shown = [(job, _shown(job, proving=_is_done_now(job, now))) for job in found]
        if user is None:
            return [one for _, one in shown]
        return [_told_to(_without_others(job, one, user), user) for job, one in shown]

    async def wait(self, answer: Answer, notify: Notify | None = None) -> Answer:
        """The answer as it stands after its proof: with its tool, or corrected.

        The proof is done here unless another process is at it.
        """
        while await self.state(answer.run_id) is Proof.PENDING:
            jobs = await self._records.db.jobs.of_asker(KIND, answer.run_id)
            open_ones = [j for j in jobs if _state_of(j, answer.run_id) is Proof.PENDING]
            done = [await self.worker.do_next(job.key, notify) for job in open_ones]
            if not any(done):
                await asyncio.sleep(_LOOK_AGAIN_S)
        return await self.proved(answer)

    async def proved(self, answer: Answer) -> Answer:
        """The answer with what its proof came to by now."""
        row = await self._records.db.runs.find(answer.run_id)
        stored = row.answer if row is not None and isinstance(row.answer, dict) else {}
        known: dict[str, Any] = {"proof": await self.state(answer.run_id)}
        for name in ("tool", "version", "tool_confidence"):
            known[name] = stored.get(name, getattr(answer, name))
        if isinstance(stored.get("correction"), dict):
            known |= {name: stored[name] for name in ("text", "result", "confidence")}
        return replace(answer, **known)

    async def work_off(self, notify: Notify | None = None) -> "list[FinishedProof]":
        """Do every proof that waits now; those that others hold are theirs."""
        done: list[FinishedProof] = []
        while (one := await self.worker.do_next(None, notify)) is not None:
            done.append(one)
        return done


def key_of(winner: Solution) -> str:
    """One key for all solutions whose function is the same but for comments and docstrings."""
    code = tidy(winner.code, winner.function)
    try:
        tree = syntax_tree(code or winner.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return digest(KIND, winner.function, winner.code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return digest(KIND, winner.function, ast.dump(tree))


_LEAST_FIRST = (Proof.PENDING, Proof.UNPROVED, Proof.PROVED, Proof.NONE)


def _state_of(job: Job, asker: str) -> Proof:
    """How far a job is for one of those who asked for it."""
    if any(one.name == asker for one in job.askers):
        return Proof.UNPROVED if job.state is JobState.FAILED else Proof.PENDING
    known = _result_of(job)
    return known.proof if known else Proof.NONE


def _is_done_now(job: Job, now: datetime) -> bool:
    """Whether somebody is at it: holds it, and is not known to be dead."""
    return job.held_at(now) and not is_dead(job.holder)


def _scrubbed(records: Records, solution: Solution) -> Solution:
    return replace(solution, call=records.clean_text(solution.call), value=None)


def _result_of(job: Job) -> ProofResult | None:
    """What the job came to; while its askers are being told, that is its progress."""
    known = job.progress if isinstance(job.progress, dict) else job.result
    return ProofResult.from_json(known) if isinstance(known, dict) else None


def _user_of(asker: Asker) -> str:
    task: Any = asker.payload["task"]
    return str(task["user"])


def _without_others(job: Job, shown: PendingProof, user: str) -> PendingProof:
    own = [asker for asker in job.askers if _user_of(asker) == user]
    task: Any = own[0].payload["task"] if own else {"request": ELSEWHERE if job.askers else ""}
    return replace(shown, request=task["request"])


def _told_to(shown: PendingProof, user: str) -> PendingProof:
    """A proof that was first done for another person says nothing of them."""
    if shown.result is None or shown.result.user in ("", user):
        return shown
    told = shown.result.told_to(user)
    return replace(shown, result=told, reason=told.reason)


def _shown(job: Job, *, proving: bool) -> PendingProof:
    task: Any = job.askers[0].payload["task"] if job.askers else {}
    known = _result_of(job)
    return PendingProof(
        key=job.key,
        function=task.get("winner", {}).get("function") or (known.tool if known else "") or "",
        request=task.get("request", ""),
        state="proving" if proving else str(job.state),
        attempts=job.attempts,
        reason=job.reason or (known.reason if known else ""),
        askers=len(job.askers),
        result=known,
    )
