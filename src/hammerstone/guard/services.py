"""Breakers around outside services: connectors, web search, page reading.

    breakers = ServiceBreakers(db.breakers, clock)
    page = await breakers.call("pages:example.org", fetch, transient=(TimeoutError,))

State is stored, so an outage survives a restart and is shown by health in every process.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import stamina

from hammerstone.core.clock import Clock
from hammerstone.core.errors import Refused, Stopped
from hammerstone.core.json_types import JsonObject
from hammerstone.models.wrappers.breaker import Breaker, BreakerStore

T = TypeVar("T")

_PREFIX = "service:"

SEARCH = ("search:", "pages:")
"""Names of services that find or read pages begin with these; they rest sooner and shorter."""


@dataclass(frozen=True, slots=True)
class ServicePolicy:
    """When a service that keeps failing gets a pause, and how a call is tried again."""

    name: ClassVar[str] = "services"
    failures: int = 5
    rest_s: float = 60.0
    search_failures: int = 3
    search_rest_s: float = 30.0
    attempts: int = 3
    first_wait_s: float = 0.2
    longest_wait_s: float = 5.0


class StoredBreakers(BreakerStore, Protocol):
    async def all(self) -> dict[str, JsonObject]: ...


class ServiceBreakers:
    """One breaker a service, named `kind:name`, made when it is first called."""

    def __init__(
        self,
        store: StoredBreakers,
        clock: Clock,
        policy: Callable[[], ServicePolicy] = ServicePolicy,
    ) -> None:
        self._store = store
        self._clock = clock
        self._policy = policy
        self.breakers: dict[str, Breaker] = {}
        stamina.instrumentation.set_on_retry_hooks(())  # a retry is no line on the terminal

    def of(self, service: str) -> Breaker:
        if service not in self.breakers:
            policy = self._policy()
            search = service.startswith(SEARCH)
            self.breakers[service] = Breaker(
                _PREFIX + service,
                self._store,
                self._clock,
                limit=policy.search_failures if search else policy.failures,
                rest_s=policy.search_rest_s if search else policy.rest_s,
            )
        return self.breakers[service]

    async def call(
        self,
        service: str,
        work: Callable[[], Awaitable[T]],
        *,
        transient: tuple[type[Exception], ...],
        again: bool = True,
    ) -> T:
        """What `work` returns, tried again with growing pauses when it fails for a moment.

        Only `transient` errors count as failures of the service; any other shows it is alive.
        Raises `Refused` at once while the service is left alone. `again=False` for a call that
        must not happen twice.
        """
        breaker, policy = self.of(service), self._policy()
        attempts = stamina.retry_context(
            on=transient,
            attempts=max(1, policy.attempts) if again else 1,
            timeout=None,
            wait_initial=policy.first_wait_s,
            wait_max=policy.longest_wait_s,
            wait_jitter=policy.first_wait_s,  # not all come back at once
        )
        async for attempt in attempts:
            with attempt:
                await self._admit(service, breaker)
                return await _counted(breaker, work, transient)
        raise AssertionError("stamina re-raises the last failure")

    async def stored(self) -> list[str]:
        """The services any process ever had trouble with."""
        known = await self._store.all()
        return [name.removeprefix(_PREFIX) for name in known if name.startswith(_PREFIX)]

    async def _admit(self, service: str, breaker: Breaker) -> None:
        wait_s = await breaker.admit()
        if wait_s > 0:
            raise Refused(
                f"{service} {await breaker.trouble(wait_s)}",
                hint="ask again after that, or ask for something that does not need it",
                rule="breaker",
                service=service,
                retry_after_s=wait_s,
            )


async def _counted(
    breaker: Breaker, work: Callable[[], Awaitable[T]], transient: tuple[type[Exception], ...]
) -> T:
    """What `work` returns; how it ended is told to the breaker."""
    try:
        result = await work()
    except transient as error:
        await breaker.failed(str(error) or type(error).__name__)
        raise
    except Stopped:
        await breaker.abandoned()
        raise
    except Exception:
        await breaker.succeeded()
        raise
    except BaseException:
        await breaker.abandoned()
        raise
    await breaker.succeeded()
    return result
