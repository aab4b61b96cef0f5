"""What calls cost: tokens, money, time; asked for before each call, added to each reply and counted
per model."""

import time
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Allowance, Model
from hammerstone.models.wrappers.wrapper import Wrapper, spent_by


@dataclass(slots=True)
class MeterTotals:
    """Totals of one model since the process started."""

    replies: int = 0
    failures: int = 0
    usage: Usage = field(default_factory=Usage)
    unpriced_calls: int = 0


class Meter:
    """The readings of all models, for statistics and the metrics page."""

    def __init__(self) -> None:
        self.readings: dict[str, MeterTotals] = {}

    def of(self, model: str) -> MeterTotals:
        return self.readings.setdefault(model, MeterTotals())


class MeteredModel(Wrapper):
    """Fills in the price and the seconds; failed calls are counted too, with what they spent.

    A model without a known price costs 0 and is counted as unpriced. Local ones are free.
    """

    def __init__(self, inner: Model, meter: Meter, provider: str | None = None) -> None:
        super().__init__(inner)
        self._meter = meter
        self._provider = provider  # None: the model runs here

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        reading = self._meter.of(self.name)
        began = time.perf_counter()
        try:
            reply = await self._inner.complete(prompt, on_token=on_token)
        except ModelError as error:
            reading.failures += 1
            usage = self._priced(spent_by(error), time.perf_counter() - began)
            if usage.calls:
                error.data["usage"] = usage
            reading.usage += usage
            raise
        usage = self._priced(reply.usage, time.perf_counter() - began)
        reading.replies += 1
        reading.usage += usage
        return replace(reply, usage=usage)

    def _priced(self, usage: Usage, seconds: float) -> Usage:
        if self._provider is None or not usage.calls:
            return replace(usage, seconds=seconds)
        usd = price_usd(self._provider, self.name, usage)
        if usd is None:
            self._meter.of(self.name).unpriced_calls += usage.calls
        return replace(usage, usd=usd or 0.0, seconds=seconds)


def price_usd(provider: str, model: str, usage: Usage) -> float | None:
    """The price of one call; None for a model nobody has listed a price for."""
    rate = _rates(provider, model)
    if rate is None:
        return None
    fresh, cached, output = rate
    read = usage.prompt_tokens - usage.cached_tokens
    return read * fresh + usage.cached_tokens * cached + usage.output_tokens * output


@lru_cache(maxsize=64)
def _rates(provider: str, model: str) -> tuple[float, float, float] | None:
    """USD for one token read, read from cache, written, at the size of an ordinary call.

    Asking genai-prices for each call would cost more than the rest of the layer.
    """
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    probe = 1000
    try:
        fresh = calc_price(Priced(input_tokens=probe), model, provider_id=provider)
        cached = calc_price(
            Priced(input_tokens=probe, cache_read_tokens=probe), model, provider_id=provider
        )
        output = calc_price(Priced(output_tokens=probe), model, provider_id=provider)
    except LookupError:
        return None
    return tuple(float(part.total_price) / probe for part in (fresh, cached, output))  # type: ignore[return-value]


class BudgetedModel(Wrapper):
    """Refuses before the call; afterwards the allowance learns what it cost, failed or not."""

    def __init__(self, inner: Model, allowance: Allowance) -> None:
        super().__init__(inner)
        self._allowance = allowance

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        most = prompt.max_tokens * prompt.samples
        with self._allowance.reserve(tokens=most, calls=prompt.samples):
            try:
                reply = await self._inner.complete(prompt, on_token=on_token)
            except ModelError as error:
                self._allowance.spend(spent_by(error))
                raise
            self._allowance.spend(reply.usage)
            return reply
