"""From settings to models: which one answers for which role, and what is wrapped around it."""

from dataclasses import dataclass, field
from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock
from hammerstone.core.seams import Allowance, Model
from hammerstone.core.settings import Settings
from hammerstone.models.local.adapters import SHIPPED_ADAPTER, AdapterShelf, adapter_at
from hammerstone.models.local.lora import OFF, LoraAdapter, chosen_adapters
from hammerstone.models.pull.model_files import EMBEDDED_MODEL
from hammerstone.models.wrappers.breaker import Breaker, BreakerStore, GuardedModel
from hammerstone.models.wrappers.cache import CachedModel, ReplyCache
from hammerstone.models.wrappers.fallback import CheapFirstModel, FallbackModel
from hammerstone.models.wrappers.meter import BudgetedModel, Meter, MeteredModel
from hammerstone.models.wrappers.rate import RateLimitedModel, RateStore
from hammerstone.models.wrappers.retry import RetryingModel, RetryRule
from hammerstone.models.wrappers.traced import TracedModel

LOCAL = "local"
# What genai-prices and the GenAI conventions call the provider.
PROVIDER_IDS = {"openai": "openai", "anthropic": "anthropic", "google": "google"}


@dataclass(frozen=True, slots=True)
class ModelHandling:
    """How calls are handled around every model."""

    retry: RetryRule = field(default_factory=RetryRule)
    breaker_failures: int = 5
    breaker_rest_s: float = 60.0
    cached_replies: int = 512


class Models:
    """The role table. Models are shared between roles and closed together.

    A call passes, from the outside in: reply cache; cheap-first and fallback, which choose the
    model; budget; retry; shared rate; breaker; span; meter; the model.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        breakers: BreakerStore | None = None,
        clock: Clock | None = None,
        handling: ModelHandling | None = None,
        rates: RateStore | None = None,
    ) -> None:
        self._settings = settings
        self._breaker_store = breakers
        self._rates = rates
        self._clock = clock
        self._handling = handling or ModelHandling()
        self._open: dict[str, Model] = {}
        self._cache = ReplyCache(self._handling.cached_replies)
        self.meter = Meter()
        self.breakers: dict[str, Breaker] = {}

    def for_role(
        self, role: Role, *, allowance: Allowance | None = None, chosen: str | None = None
    ) -> Model:
        """The model for a job, within what the request may still spend.

        The setting may name several, "cheap, stronger": the next is asked when an answer
        cannot be used. Fallback models stand in when the named ones cannot answer. One that a
        person has `chosen` is asked alone: nobody else answers in its name.
        """
        if chosen is not None:
            return CachedModel(self._within(chosen, allowance), self._cache)
        names = listed_models(self._settings.model_for(role))
        chain: list[Model] = [self._within(name, allowance) for name in names]
        first = CheapFirstModel(chain) if len(chain) > 1 else chain[0]
        spare = [n for n in self._settings.fallback_models if n not in names]
        if spare:
            first = FallbackModel([first, *(self._within(n, allowance) for n in spare)])
        return CachedModel(first, self._cache)

    async def close(self) -> None:
        for model in self._open.values():
            await model.close()
        self._open.clear()

    def _within(self, name: str, allowance: Allowance | None) -> Model:
        model = self._wrapped(name)
        return model if allowance is None else BudgetedModel(model, allowance)

    def _wrapped(self, name: str) -> Model:
        if name not in self._open:
            provider = name.partition(":")[0]
            price_id = None if provider in (LOCAL, "ollama") else PROVIDER_IDS.get(provider, "")
            metered = MeteredModel(bare_model(name, self._settings), self.meter, price_id)
            traced = TracedModel(metered, PROVIDER_IDS.get(provider, provider))
            model: Model = GuardedModel(traced, self._breaker(name))
            limits = self._settings.model_limits.get(name)
            if limits is not None and self._rates is not None:
                model = RateLimitedModel(model, name, self._rates, limits)
            self._open[name] = RetryingModel(model, self._handling.retry)
        return self._open[name]

    def _breaker(self, name: str) -> Breaker:
        self.breakers[name] = Breaker(
            f"model:{name}",
            self._breaker_store,
            self._clock,
            limit=self._handling.breaker_failures,
            rest_s=self._handling.breaker_rest_s,
        )
        return self.breakers[name]


def open_models(
    settings: Settings,
    *,
    breakers: BreakerStore | None = None,
    clock: Clock | None = None,
    handling: ModelHandling | None = None,
    rates: RateStore | None = None,
) -> Models:
    """The models these settings name. Nothing is started or asked yet."""
    return Models(settings, breakers=breakers, clock=clock, handling=handling, rates=rates)


def local_model_path(settings: Settings) -> Path:
    """Where the embedded model's file is, or will be."""
    return settings.model_path or settings.models_dir / EMBEDDED_MODEL.name


def local_adapters(settings: Settings) -> tuple[LoraAdapter, ...]:
    """What is loaded with the embedded model, each for its purposes.

    A setting comes first, then the adapter that a person or the gate has put in use.
    """
    own_model = settings.model_path is not None
    named = settings.adapter.strip() or ("" if own_model else active_adapter(settings))
    off = named.lower() == OFF
    own = adapter_at(Path(named).expanduser()).lora() if named and not off else None
    return chosen_adapters(own, off=off, own_model=own_model)


def active_adapter(settings: Settings) -> str:
    """The adapter that was put in use here: a path, `off`, or empty for the package's own."""
    shelf = AdapterShelf(settings.data_dir)
    active = shelf.active()
    if active in (SHIPPED_ADAPTER, OFF):
        return "" if active == SHIPPED_ADAPTER else OFF
    return str(shelf.get(active).path)


def bare_model(name: str, settings: Settings) -> Model:
    """One model without anything around it: `local`, or `provider:name`."""
    # What asks a model is loaded when one is asked: the providers' clients take a second.
    if name == LOCAL:
        from hammerstone.models.local.client import LocalModel

        return LocalModel(
            local_model_path(settings),
            settings.runtime_dir,
            threads=settings.model_threads,
            idle_s=settings.model_idle_s,
            timeout_s=settings.model_timeout_s,
            adapters=local_adapters(settings),
        )
    from hammerstone.models.providers.provider_catalog import provider_model

    return provider_model(name, settings)


def listed_models(names: str) -> list[str]:
    """The models of a setting, in the order in which they are tried."""
    return [name.strip() for name in names.split(",") if name.strip()]
