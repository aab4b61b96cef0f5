"""The agent card: what Hammerstone is, where it answers, and what its library can do."""

from typing import Any

from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill

from hammerstone.core.settings import Settings
from hammerstone.core.tools import Status, Tool
from hammerstone.core.version import VERSION
from hammerstone.library.tools.registry import Registry

PATH = "/a2a"
CARD = "/.well-known/agent-card.json"
_MOST_SKILLS = 200


async def proved_tools(registry: Registry) -> list[Tool]:
    """The proved tools that a card lists: the first ones by name."""
    proved: list[Tool] = []
    async for tool in registry.walk():
        if tool.status in (Status.VERIFIED, Status.TRUSTED):
            proved.append(tool)
        if len(proved) == _MOST_SKILLS:
            break
    return proved


def agent_card(base: str, proved: list[Tool], settings: Settings) -> AgentCard:
    """The card for this address, with these tools as skills."""
    asking = AgentSkill(
        id="ask",
        name="Answer a request",
        description="Answers in plain language with a tool that exists or is built and proved.",
        tags=["tools", "computation"],
        examples=["What is 17.5 percent of 240?"],
    )
    guarded: dict[str, Any] = {}
    if settings.token or settings.tokens:
        guarded = {
            "security_schemes": {"bearer": {"http_auth_security_scheme": {"scheme": "Bearer"}}},
            "security_requirements": [{"schemes": {"bearer": {}}}],
        }
    return AgentCard(
        name="Hammerstone",
        description="An agent that builds, proves and reuses its own tools.",
        version=VERSION,
        supported_interfaces=[
            AgentInterface(
                url=f"{base.rstrip('/')}{PATH}", protocol_binding="JSONRPC", protocol_version="1.0"
            )
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "application/json"],
        skills=[asking, *(_skill(tool) for tool in proved)],
        **guarded,
    )


def _skill(tool: Tool) -> AgentSkill:
    return AgentSkill(
        id=tool.name,
        name=tool.name.replace("_", " "),
        description=tool.version.spec.description,
        tags=[str(tool.status), str(tool.version.spec.effect)],
    )
