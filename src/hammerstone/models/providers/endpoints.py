"""Whether the endpoint of a model answers, found out by asking it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from hammerstone.core.settings import Settings

LIMIT_S = 3.0


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """`ok`: something that speaks HTTP is there and lets us in. `fix` says what to do if not."""

    ok: bool
    detail: str
    fix: str = ""


async def ask_endpoint(url: str, key: SecretStr | None = None) -> EndpointReply:
    """Ask for the list of models, which every OpenAI-compatible endpoint has and which is free."""
    import httpx

    shown = shown_address(url)
    headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    try:
        async with httpx.AsyncClient(timeout=LIMIT_S) as client:
            reply = await client.get(url.rstrip("/") + "/models", headers=headers)
    except httpx.TimeoutException:
        detail = f"{shown} does not answer within {LIMIT_S:.0f} s"
        return EndpointReply(False, detail, "check the address, and that the server is running")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
        why = str(error) or type(error).__name__
        detail = f"nothing answers at {shown} ({why})"
        return EndpointReply(False, detail, "start the server, or correct its address")
    if reply.status_code in (401, 403):
        return EndpointReply(False, f"{shown} answers, but refuses the key", "check the API key")
    if reply.status_code >= 500:
        detail = f"{shown} answers with an error ({reply.status_code})"
        return EndpointReply(False, detail, "look at the log of that server")
    return EndpointReply(True, f"{shown} answers")


def endpoint_of(provider: str, settings: Settings) -> str | None:
    """The address that a setting names for a provider; None where it is the provider's own."""
    from hammerstone.models.providers.provider_catalog import OLLAMA_URL, ollama_url

    if provider == "ollama":
        return ollama_url(settings.ollama_base_url or OLLAMA_URL)
    named = {
        "openai": settings.openai_base_url,
        "compatible": settings.openai_base_url,
        "anthropic": settings.anthropic_base_url,
        "google": settings.google_base_url,
    }
    return named.get(provider)


def shown_address(url: str) -> str:
    """The address without the name and password that some carry."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"
