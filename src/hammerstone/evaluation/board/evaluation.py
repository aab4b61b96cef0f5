"""From options to a finished run: versions, going on with what was broken off, the record."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.app.wiring import MORE_POLICIES
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.evaluations import Chapter, EvaluationRun, EvaluationSet
from hammerstone.core.holder import holder_name
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.catalogue import chosen_from, measurements
from hammerstone.evaluation.board.fresh import apart_from_database
from hammerstone.evaluation.board.measurement import Measurement, checkout
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.board.runner import BUDGETS_S, BoardProgress, BoardRunner, NoProgress
from hammerstone.evaluation.board.versions import machine, versions_of
from hammerstone.evaluation.suites.shelf import SuiteShelf
from hammerstone.evaluation.suites.suite import read_suite
from hammerstone.evaluation.suites.suite_measurement import broken_suite, suite_measurement
from hammerstone.library.policies import Policies
from hammerstone.run.durable.dead_leases import end_dead_lease
from hammerstone.storage import Database
from hammerstone.storage.stores.queue.leases import HELD_S, HeldLease


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """What is measured and how. `policies` are changes that hold for this evaluation only."""

    chosen: EvaluationSet = EvaluationSet.QUICK
    chapters: tuple[Chapter, ...] = ()
    names: tuple[str, ...] = ()
    again: bool = False
    resume: bool = False  # go on with a run that was broken off, or say that there is none
    repeat: int = 1
    data: Path | None = None
    policies: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    budget_s: float | None = None  # instead of the set's own

    def to_json(self) -> JsonObject:
        chapters: list[Json] = [str(chapter) for chapter in self.chapters]
        names: list[Json] = list(self.names)
        return {"chapters": chapters, "names": names, "repeat": self.repeat}


class EvaluationPolicies(Policies):
    """The policies in force with changes that are kept nowhere."""

    def __init__(self, db: Database, changes: Mapping[str, JsonObject]) -> None:
        super().__init__(db, MORE_POLICIES)
        self._changes = changes

    async def load(self, revision: int | None = None) -> None:
        """Read what is in force, and put the changes on top. Raises `BadRequest` for a bad one."""
        await super().load(revision)
        for name, values in self._changes.items():
            self.check(name, values)
            self._stored[name] = {**self._stored.get(name, {}), **values}
        self._made.clear()

    @property
    def changed(self) -> dict[str, JsonObject]:
        """Everything that differs from what is shipped, by name."""
        return {name: value for name, value in sorted(self._stored.items()) if value}


async def evaluate_board(
    db: Database,
    settings: Settings,
    options: BoardOptions,
    *,
    progress: BoardProgress | None = None,
    on_start: Callable[[EvaluationRun, bool], None] = lambda run, resumed: None,
    known: list[Measurement] | None = None,
) -> EvaluationRun:
    """One evaluation, recorded in `db`.

    A run of the same versions and options that was broken off goes on, unless `again` is asked
    for. Raises `Refused` while another process works on that run.
    """
    everything = [*measurements(), *own_suites(settings)] if known is None else known
    chosen = chosen_from(everything, options.chosen, options.chapters, options.names)
    if not chosen:
        raise BadRequest("nothing is left to measure", hint="another --set or --chapter")
    policies = EvaluationPolicies(db, options.policies)
    await policies.load()
    versions = versions_of(settings, policies.changed)
    run = EvaluationRun(
        id=secrets.token_hex(4),
        chosen=options.chosen,
        versions=versions,
        started_at=db.access.clock.now(),
        options=options.to_json(),
        machine=machine(),
    )
    run, held, resumed = await _hold(db, run, options)
    resources = BoardResources(settings, policies, data_folder(options.data))
    try:
        on_start(run, resumed)
        budget = options.budget_s if options.budget_s is not None else BUDGETS_S[options.chosen]
        runner = BoardRunner(
            db, run, resources, progress or NoProgress(), options.again, options.repeat, budget
        )
        with apart_from_database():
            await runner.measure(chosen)
        ended = db.access.clock.now()
        await db.evaluations.finish(run.id, ended)
        return replace(run, finished_at=ended)
    finally:
        await resources.close()
        await held.give_back()


def own_suites(settings: Settings) -> list[Measurement]:
    """The suites of this machine, against the whole product. Broken ones say so when they run."""
    return [_suite(folder) for folder in SuiteShelf(settings).folders()]


def _suite(folder: Path) -> Measurement:
    try:
        return suite_measurement(read_suite(folder))
    except BadRequest as error:
        return broken_suite(folder.name, error)


async def _hold(
    db: Database, new: EvaluationRun, options: BoardOptions
) -> tuple[EvaluationRun, HeldLease, bool]:
    """The run to work on, held; the third says whether it had begun before."""
    holder = holder_name()
    begun = None if options.again else await _broken_off(db, new)
    if begun is not None:
        await end_dead_lease(db.leases, lease_name(begun.id))
        held = HeldLease(db.leases, lease_name(begun.id), holder)
        if await held.take():
            await db.evaluations.finish(begun.id, None)
            return replace(begun, finished_at=None), held, True
        if options.resume:
            raise Refused(
                f"another process works on evaluation {begun.id}",
                hint=f"wait for it; if it was killed, try again in {HELD_S:.0f} seconds",
            )
    elif options.resume:
        raise NotFound(
            "there is no evaluation of these versions and options to go on with",
            hint="hammerstone eval",
        )
    await db.evaluations.start(new)
    held = HeldLease(db.leases, lease_name(new.id), holder)
    await held.take()
    return new, held, False


def lease_name(run_id: str) -> str:
    """The lease of whoever works on a run, so that two evaluations do not disturb each other."""
    return f"evaluation: {run_id}"


async def _broken_off(db: Database, new: EvaluationRun) -> EvaluationRun | None:
    """The last run of the same versions, set and options that did not come to its end, or for
    which the time was too short."""
    alike = [
        run
        for run in await db.evaluations.recent()
        if (run.versions, run.chosen, run.options) == (new.versions, new.chosen, new.options)
    ]
    for run in alike:
        if run.finished_at is None:
            return run
    if alike and any(one.state.cut for one in await db.evaluations.records(alike[0].id)):
        return alike[0]
    return None


def data_folder(given: Path | None) -> Path | None:
    """The folder of the data files: as given, or `data` beside the repository."""
    if given is not None:
        if not given.is_dir():
            raise BadRequest(f"{given} is no folder", hint="--data names the folder of data files")
        return given
    root = checkout()
    if root is None:
        return None
    near = (parent / "shared" / "data" for parent in root.parents)
    return next((folder for folder in near if folder.is_dir()), None)
