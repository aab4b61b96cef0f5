"""Whether this process can take requests: the database, the sandbox and, if asked for, the model.

Looked at by whoever sends requests here (a load balancer, Kubernetes), every few seconds and
without a token; so what is told is yes or no by name, and one look serves everybody for a second.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hammerstone.app.health.doctor import model_answers
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.guard.stop import LazySandbox
from hammerstone.storage import Database
from hammerstone.tracing.warn import warn

LOOK_S = 5.0  # that a look may take before it counts as no
FRESH_S = 1.0  # how long an answer serves everybody
MODEL_FRESH_S = 15.0  # an endpoint is not asked more often
AGAIN_S = 30.0  # before a sandbox that was refused is tried again


@dataclass(frozen=True, slots=True)
class Readiness:
    """What was looked at, by name, and whether it is as it should be."""

    checks: dict[str, bool]

    @property
    def ready(self) -> bool:
        return all(self.checks.values())

    def to_json(self) -> JsonObject:
        return {"ready": self.ready, "checks": dict(self.checks)}


class ReadinessChecks:
    """The looks of one process, and what they saw last."""

    def __init__(self, settings: Settings, db: Database, sandbox: LazySandbox) -> None:
        self._settings = settings
        self._db = db
        self._sandbox = sandbox
        self._opening: asyncio.Task[None] | None = None
        self._opened_at = 0.0
        self._kept: dict[str, tuple[float, bool]] = {}

    async def look(self, *, model: bool = False) -> Readiness:
        """Whether requests can be taken; `model`: only where the model can be reached, too."""
        checks = {
            "database": await self._fresh("database", FRESH_S, self._db.is_current),
            "sandbox": self._proved(),
        }
        if model:
            checks["model"] = await self._fresh("model", MODEL_FRESH_S, self._model)
        return Readiness(checks)

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)

    async def _fresh(self, name: str, seconds: float, look: Callable[[], Awaitable[bool]]) -> bool:
        kept = self._kept.get(name)
        if kept is not None and time.monotonic() < kept[0]:
            return kept[1]
        try:
            found = await asyncio.wait_for(look(), LOOK_S)
        except (HammerstoneError, TimeoutError) as error:
            warn("not ready", look=name, reason=str(error) or "no answer in time")
            found = False
        self._kept[name] = (time.monotonic() + seconds, found)
        return found

    async def _model(self) -> bool:
        names = self._settings.general_model.split(",")
        return (await model_answers(names[0].strip(), self._settings)).ok

    def _proved(self) -> bool:
        """Whether the sandbox is open, which it is only once its self-test has passed; begins to
        open it where it is not."""
        if self._sandbox.opened is not None:
            return True
        due = time.monotonic() >= self._opened_at
        if due and (self._opening is None or self._opening.done()):
            self._opened_at = time.monotonic() + AGAIN_S
            self._opening = asyncio.create_task(self._open())
        return False

    async def _open(self) -> None:
        try:
            await self._sandbox.get()
        except HammerstoneError as error:
            warn("not ready", look="sandbox", reason=error.message)
