"""What an MCP client may do, by the name it gives itself."""

from dataclasses import dataclass
from enum import IntEnum

from hammerstone.core.errors import SettingsError
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect, Status, Tool

EVERYONE = "*"


class Grant(IntEnum):
    """Each level includes those before it."""

    OFF = 0  # sees nothing
    TOOLS = 1  # calls verified tools that only compute or read
    ASK = 2  # also asks in plain language, which may build a tool
    WRITE = 3  # also calls verified tools that write


_SERVING = (Status.VERIFIED, Status.TRUSTED)


@dataclass(frozen=True, slots=True)
class Permissions:
    """Grants by client name, with `*` for everybody else.

    A client's name is what the client says of itself: this keeps honest programs apart. Who
    must be kept out needs a token (`HAMMERSTONE_TOKEN`), which is checked before.
    """

    grants: dict[str, Grant]

    @classmethod
    def of(cls, settings: Settings) -> "Permissions":
        grants = {EVERYONE: Grant.ASK}
        for client, word in settings.mcp_clients.items():
            try:
                grants[client] = Grant[word.upper()]
            except KeyError:
                known = ", ".join(grant.name.lower() for grant in Grant)
                raise SettingsError(
                    f"setting mcp_clients: {client} has the unknown grant {word!r}",
                    hint=f"one of {known}",
                    name="mcp_clients",
                ) from None
        return cls(grants)

    def grant(self, client: str) -> Grant:
        return self.grants.get(client, self.grants[EVERYONE])

    def may_call(self, client: str, tool: Tool) -> bool:
        """Only what is proved is offered to programs; nobody is there to be warned."""
        if tool.status not in _SERVING:
            return False
        needed = Grant.WRITE if tool.version.spec.effect is Effect.WRITES else Grant.TOOLS
        return self.grant(client) >= needed
