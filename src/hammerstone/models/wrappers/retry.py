"""Trying again what is worth trying again."""

from dataclasses import dataclass

import stamina

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class RetryRule:
    """How often, and how long to wait in between: doubling, with jitter, up to `wait_max_s`."""

    attempts: int = 3
    wait_initial_s: float = 0.5
    wait_max_s: float = 8.0
    jitter_s: float = 0.5
    obeyed_retry_after_s: float = 20.0  # asked to wait longer, give up and let others answer


class RetryingModel(Wrapper):
    """Asks again when the model was unavailable, after the wait it named if it named one.

    Not after a time-out, where the person has waited long enough already, nor when a breaker
    is open or the minute's calls are used up. Pieces that a broken attempt had shown are shown
    again by the next one. Each attempt is a span of its own, so the library's log line on a
    person's terminal is not needed.
    """

    def __init__(self, inner: Model, rule: RetryRule | None = None) -> None:
        super().__init__(inner)
        self._rule = rule or RetryRule()
        stamina.instrumentation.set_on_retry_hooks(())

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        rule = self._rule
        attempts = stamina.retry_context(
            on=self._wait_for,
            attempts=rule.attempts,
            timeout=None,
            wait_initial=rule.wait_initial_s,
            wait_max=rule.wait_max_s,
            wait_jitter=rule.jitter_s,
        )
        async for attempt in attempts:
            with attempt:
                return await self._inner.complete(prompt, on_token=on_token)
        raise AssertionError("stamina re-raises the last failure")

    def _wait_for(self, error: Exception) -> bool | float:
        if not isinstance(error, ModelUnavailable):
            return False
        if any(error.data.get(why) for why in ("timeout", "breaker", "limited")):
            return False
        wait_s = error.data.get("retry_after_s")
        if wait_s is None:
            return True
        return float(wait_s) if wait_s <= self._rule.obeyed_retry_after_s else False
