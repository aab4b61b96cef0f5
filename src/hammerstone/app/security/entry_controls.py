"""Controls at the doors: who may come in, what is kept of tokens, what clients were granted."""

from hammerstone.app.security.control import SecurityControl, off, ok, weak
from hammerstone.app.security.stored_state import StoredState
from hammerstone.core.settings import Settings

_SHORTEST_TOKEN = 16


def entry_controls(settings: Settings, stored: StoredState) -> list[SecurityControl]:
    return [authentication(settings, stored), tokens(settings, stored), mcp_clients(settings)]


def authentication(settings: Settings, stored: StoredState) -> SecurityControl:
    """Whether a stranger who reaches the server's address is let in."""
    name, where = "authentication", f"{settings.host}:{settings.port}"
    known = [*settings.tokens, *stored.people, *([settings.user] if settings.token else [])]
    count = len({*known})
    if settings.on_loopback:
        if known:
            return ok(name, f"a token is needed at {where} ({count} people)")
        detail = f"no token: every account of this machine is the owner at {where}"
        return weak(name, detail, f"hammerstone people add {settings.user} --role owner")
    if settings.token is None:
        detail = f"no HAMMERSTONE_TOKEN for {where}, which others reach: `serve` refuses to start"
        state = weak if known else off  # with people in, a server started otherwise asks too
        return state(name, detail, "set HAMMERSTONE_TOKEN, or HAMMERSTONE_HOST=127.0.0.1")
    detail = f"a token is needed at {where} ({count} people), but it is sent over plain HTTP"
    return weak(name, detail, "listen on 127.0.0.1 and put a proxy with TLS in front")


def tokens(settings: Settings, stored: StoredState) -> SecurityControl:
    """Whether tokens can be read or guessed."""
    name = "tokens"
    if stored.unhashed:
        who = ", ".join(stored.unhashed)
        return off(
            name, f"not stored as a hash: {who}", f"hammerstone people revoke {stored.unhashed[0]}"
        )
    own = [settings.token] if settings.token else []
    if any(
        len(one.get_secret_value()) < _SHORTEST_TOKEN for one in (*own, *settings.tokens.values())
    ):
        detail = f"one in the settings is shorter than {_SHORTEST_TOKEN} characters"
        return weak(name, detail, "take one of `openssl rand -hex 32`")
    if settings.tokens:
        detail = f"{len(settings.tokens)} stand in the settings in clear and never expire"
        return weak(name, detail, "hammerstone people add NAME, and empty HAMMERSTONE_TOKENS")
    where = "; the owner's is in clear where you set it" if own else ""
    return ok(name, f"only hashes are stored{where}")


def mcp_clients(settings: Settings) -> SecurityControl:
    """Which programs may have something written."""
    name = "MCP clients"
    writing = [client for client, grant in settings.mcp_clients.items() if grant.lower() == "write"]
    if writing:
        detail = f"may call tools that write, and show approvals themselves: {', '.join(writing)}"
        return weak(
            name, detail, "grant `ask` in HAMMERSTONE_MCP_CLIENTS to those you do not trust"
        )
    return ok(name, "no client may change anything")
