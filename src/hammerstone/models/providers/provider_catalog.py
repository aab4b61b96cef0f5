"""The providers that can be named in a setting, and what each needs."""

from collections.abc import Callable

import httpx2
from pydantic import SecretStr
from pydantic_ai.models import Model as ForeignModel

from hammerstone.core.errors import ModelMissing, SettingsError
from hammerstone.core.settings import Settings
from hammerstone.models.providers.adapter import ProviderModel

CONNECT_LIMIT_S = 10.0
NO_RETRIES = 0  # the retry wrapper decides, and counts
OLLAMA_URL = "http://127.0.0.1:11434"

Build = Callable[[str, Settings, httpx2.AsyncClient], ForeignModel]


def provider_model(spec: str, settings: Settings) -> ProviderModel:
    """The model that `provider:name` means. Asks nothing yet."""
    provider, _, name = spec.partition(":")
    build = PROVIDERS.get(provider)
    if build is None or not name:
        raise SettingsError(
            f"there is no model {spec!r}",
            hint=f"use local, or provider:name with one of {', '.join(PROVIDERS)}",
        )
    timeout = httpx2.Timeout(settings.model_timeout_s, connect=CONNECT_LIMIT_S)
    client = httpx2.AsyncClient(timeout=timeout, follow_redirects=True)
    model = build(name, settings, client)
    return ProviderModel(model, name=name, timeout_s=settings.model_timeout_s, close=client.aclose)


def _openai(name: str, settings: Settings, client: httpx2.AsyncClient) -> ForeignModel:
    key = _needed(settings.openai_api_key, "OPENAI_API_KEY")
    return _speaks_openai(name, key, settings.openai_base_url, client)


def _compatible(name: str, settings: Settings, client: httpx2.AsyncClient) -> ForeignModel:
    if not settings.openai_base_url:
        raise ModelMissing(
            f"compatible:{name} needs the address of its endpoint", hint="set OPENAI_BASE_URL"
        )
    # Many such endpoints want no key, but the client does.
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    return _speaks_openai(name, key, settings.openai_base_url, client)


def _speaks_openai(
    name: str, key: str, url: str | None, client: httpx2.AsyncClient
) -> ForeignModel:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    own = AsyncOpenAI(api_key=key, base_url=url, http_client=client, max_retries=NO_RETRIES)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=own))


def _anthropic(name: str, settings: Settings, client: httpx2.AsyncClient) -> ForeignModel:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    own = AsyncAnthropic(
        api_key=_needed(settings.anthropic_api_key, "ANTHROPIC_API_KEY"),
        base_url=settings.anthropic_base_url,
        http_client=client,
        max_retries=NO_RETRIES,
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=own))


def _google(name: str, settings: Settings, client: httpx2.AsyncClient) -> ForeignModel:
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        api_key=_needed(settings.google_api_key, "GOOGLE_API_KEY"),
        base_url=settings.google_base_url,
        http_client=client,
        retry_options=HttpRetryOptions(attempts=1 + NO_RETRIES),
    )
    return GoogleModel(name, provider=provider)


def _ollama(name: str, settings: Settings, client: httpx2.AsyncClient) -> ForeignModel:
    from openai import AsyncOpenAI
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    url = ollama_url(settings.ollama_base_url or OLLAMA_URL)
    own = AsyncOpenAI(api_key="none", base_url=url, http_client=client, max_retries=NO_RETRIES)
    return OllamaModel(name, provider=OllamaProvider(openai_client=own))


PROVIDERS: dict[str, Build] = {
    "openai": _openai,
    "compatible": _compatible,
    "anthropic": _anthropic,
    "google": _google,
    "ollama": _ollama,
}


def ollama_url(host: str) -> str:
    """The OpenAI-compatible root of what `OLLAMA_HOST` may hold: host, host:port or an address."""
    url = host if "://" in host else f"http://{host}"
    url = url.rstrip("/")
    if url.count(":") == 1:
        url += ":11434"
    return url if url.endswith("/v1") else f"{url}/v1"


def _needed(key: SecretStr | None, name: str) -> str:
    if key is None:
        raise ModelMissing(f"{name} is not set", hint=f"export {name}=…")
    return key.get_secret_value()
