"""A service that keeps failing is left alone for a while."""

from dataclasses import asdict, dataclass, replace
from typing import Literal, Protocol

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.tracing.scrub import Scrubber

_ERROR_CHARS = 200
_SCRUB = Scrubber()  # an error may quote an address with a key in it, and this is stored


class BreakerStore(Protocol):
    """Where breakers remember; in the database, an outage survives a restart."""

    async def load(self, name: str) -> JsonObject | None: ...

    async def save(self, name: str, state: JsonObject) -> None: ...


class MemoryBreakers:
    """State for this process alone."""

    def __init__(self) -> None:
        self._states: dict[str, JsonObject] = {}

    async def load(self, name: str) -> JsonObject | None:
        return self._states.get(name)

    async def save(self, name: str, state: JsonObject) -> None:
        self._states[name] = state


@dataclass(frozen=True, slots=True)
class BreakerState:
    """`opened_at` is a wall time, so that it means the same after a restart.

    `error` is what the last failure said: whoever is refused wants to know why.
    """

    failures: int = 0
    opened_at: float | None = None
    probing_at: float | None = None
    error: str = ""

    @staticmethod
    def of(stored: JsonObject | None) -> "BreakerState":
        try:
            return BreakerState(**stored) if stored else BreakerState()  # type: ignore[arg-type]
        except TypeError:  # written by another version
            return BreakerState()


class Breaker:
    """Opens after `limit` failures in a row, lets one probe through after `rest_s`."""

    def __init__(
        self,
        name: str,
        store: BreakerStore | None = None,
        clock: Clock | None = None,
        *,
        limit: int = 5,
        rest_s: float = 60.0,
    ) -> None:
        self.name = name
        self._store = store or MemoryBreakers()
        self._clock = clock or SystemClock()
        self._limit = limit
        self._rest_s = rest_s
        self._state: BreakerState | None = None

    async def phase(self) -> Literal["closed", "open", "half_open"]:
        state = await self._load()
        if state.opened_at is None:
            return "closed"
        return "open" if self._left_s(state) > 0 else "half_open"

    async def admit(self) -> float:
        """0 when a call may go; otherwise the seconds to wait. The first after the rest probes."""
        state = await self._load()
        if state.opened_at is None:
            return 0.0
        left_s = self._left_s(state)
        if left_s > 0:
            return left_s
        now = self._now()
        if state.probing_at is not None and 0 <= now - state.probing_at < self._rest_s:
            return self._rest_s - (now - state.probing_at)  # a probe is on its way
        await self._keep(replace(state, probing_at=now))
        return 0.0

    async def trouble(self, wait_s: float) -> str:
        """Why nothing is asked of it now, and when it is asked again, in one sentence."""
        state = await self._load()
        cause = f" (the last error: {state.error})" if state.error else ""
        return (
            f"failed {state.failures} times in a row{cause}; "
            f"it is tried again in {max(wait_s, 1):.0f} s"
        )

    async def wait_s(self) -> float:
        """The seconds until it may be tried again; 0 while it may be."""
        state = await self._load()
        return 0.0 if state.opened_at is None else max(0.0, self._left_s(state))

    async def succeeded(self) -> None:
        if await self._load() != BreakerState():
            await self._keep(BreakerState())

    async def failed(self, error: str = "") -> None:
        state = await self._load()
        failures = state.failures + 1
        opened = self._now() if failures >= self._limit else None
        said = " ".join(_SCRUB.text(error).split())[:_ERROR_CHARS]
        await self._keep(BreakerState(failures, opened, error=said or state.error))

    async def abandoned(self) -> None:
        """The call was cancelled: it says nothing, but a probe's place is free again."""
        state = await self._load()
        if state.probing_at is not None:
            await self._keep(replace(state, probing_at=None))

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _left_s(self, state: BreakerState) -> float:
        assert state.opened_at is not None
        passed_s = self._now() - state.opened_at
        return 0.0 if passed_s < 0 else self._rest_s - passed_s  # a clock set back must not lock

    async def _load(self) -> BreakerState:
        # Read once: later changes are this process's own, and a healthy call costs no read.
        if self._state is None:
            self._state = BreakerState.of(await self._store.load(self.name))
        return self._state

    async def _keep(self, state: BreakerState) -> None:
        self._state = state
        await self._store.save(self.name, asdict(state))


class GuardedModel(Wrapper):
    """Fails at once while the model's breaker is open.

    Only unavailability counts as a failure: a refusal or a wrong answer shows it is alive.
    """

    def __init__(self, inner: Model, breaker: Breaker) -> None:
        super().__init__(inner)
        self.breaker = breaker

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        wait_s = await self.breaker.admit()
        if wait_s > 0:
            raise ModelUnavailable(
                f"{self.name} {await self.breaker.trouble(wait_s)}",
                hint="check that it answers (hammerstone doctor), "
                "or name another model in HAMMERSTONE_FALLBACK_MODELS",
                breaker=True,
                retry_after_s=wait_s,
            )
        try:
            reply = await self._inner.complete(prompt, on_token=on_token)
        except ModelUnavailable as error:
            await self.breaker.failed(error.message)
            raise
        except Exception:
            await self.breaker.succeeded()
            raise
        except BaseException:
            await self.breaker.abandoned()
            raise
        await self.breaker.succeeded()
        return reply
