"""Connectors in a request: found when no tool fits, asked with permission, and answered from data.

What comes back is a value like any other: shown, kept by name, passed to the next step. It is
marked as data wherever a model reads it, and nothing in it can allow anything.
"""

import json
from datetime import UTC, datetime

from hammerstone.connectors import ConnectorResult, Offer
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core import wire
from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import BadRequest, ModelNonsense, Refused
from hammerstone.core.hashing import call_key
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect, Spec, Status, Tool, Version
from hammerstone.guard.data import as_data
from hammerstone.guard.maturity import Action, ActionKind
from hammerstone.library.search.text.stems import stems
from hammerstone.prompts import load
from hammerstone.run.act.approval import PermissionRequests
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.context import Run, RunModels
from hammerstone.run.services import Workshop

_NONE = "none"
_CHOICES = 6
_PERHAPS = (
    "this run was broken off while the service was asked to change something. It may have done "
    "so: look there, and ask again if it has not"
)
_DONE = "it was asked before this run was broken off; what it said is private and was not kept"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class OutsideServices:
    """The connectors: which one gives what is asked, and what it gives."""

    def __init__(
        self, workshop: Workshop, models: RunModels, permissions: PermissionRequests
    ) -> None:
        self._connectors = workshop.connectors
        self._breakers = workshop.breakers
        self._models = models
        self._permissions = permissions

    async def find(self, name: str) -> Offer | None:
        """The operation of that name; None where its connector is not configured."""
        if name.partition(".")[0] not in self._connectors.names:
            return None
        return await self._connectors.offer(name)

    async def fitting_offer(self, run: Run, text: str) -> Offer | None:
        """The connector's operation that gives what is asked; None where no one does."""
        connectors = self._connectors
        if not connectors:
            return None
        near = _near(text, await connectors.offers())
        if not near:
            return None
        names: list[Json] = [offer.name for offer in near]
        schema: JsonObject = {
            "type": "object",
            "properties": {"service": {"enum": [*names, _NONE]}},
            "required": ["service"],
            "additionalProperties": False,
        }
        lines = [f"{offer.name}: {offer.description[:200]}" for offer in near]
        services = as_data("what services say about themselves", "\n".join(lines))
        messages = load("connector").fill(services=services, request=text)
        prompt = Prompt(messages, schema=schema, max_tokens=32, purpose="connector")
        try:
            reply = await self._models.of(run, Role.PLANNER).complete(prompt)
            picked = json.loads(reply.text)["service"]
        except (ValueError, KeyError, TypeError, ModelNonsense):
            return None
        return next((offer for offer in near if offer.name == picked), None)

    async def reach(self, run: Run, offer: Offer, arguments: JsonObject) -> CallExecution | str:
        """Ask the service, if that is allowed; a text says why there is no result."""
        kind = ActionKind.WEB if offer.web else ActionKind.CONNECTOR
        writes = offer.effect is Effect.WRITES
        action = Action(
            kind,
            offer.name,
            arguments=arguments,
            effect=offer.effect,
            preview=offer.description,
            reversible=not writes,
        )
        allowed = await self._permissions.request_permission(run, action)
        if not allowed.given:
            return f"{offer.name} was not asked: {allowed.reason}"
        run.budget.step()
        await run.ready()
        await run.say(EventKind.EXECUTING, f"asking {offer.name}", connector=offer.name)
        found = await self._once(run, offer, arguments)
        if isinstance(found, CallExecution) and writes:
            run.ledger.wrote.append(
                f"{offer.name}({json.dumps(arguments, ensure_ascii=False)[:200]})"
            )
        return found

    async def _once(self, run: Run, offer: Offer, arguments: JsonObject) -> CallExecution | str:
        """What the service gives. A run that is taken up again does not ask it twice; where it is
        not known whether something was changed already, it is not changed."""
        hold, writes = run.ledger.hold, offer.effect is Effect.WRITES
        if hold is None:
            return await self._asked(offer, arguments)
        place = hold.journal.begin(f"call {call_key(offer.name, arguments)}")
        known = hold.journal.find(place)
        if known is not None and known.get("begun"):
            return f"{offer.name}: {_PERHAPS}"
        if known is not None:
            return known["error"] or CallExecution(known["value"])
        if writes:
            await hold.journal.keep(place, {"begun": True}, None)
        found = await self._asked(offer, arguments)
        value = found.value if isinstance(found, CallExecution) else None
        result: JsonObject = {"value": value, "error": found if isinstance(found, str) else ""}
        done: JsonObject = {"value": None, "error": f"{offer.name}: {_DONE}"}
        await hold.journal.keep(place, result, dict(result), done if writes else None)
        return found

    async def _asked(self, offer: Offer, arguments: JsonObject) -> CallExecution | str:
        service = self._connectors.get(offer.connector).service

        async def work() -> ConnectorResult:
            return await self._connectors.call(offer.name, arguments)

        again = offer.effect is not Effect.WRITES
        try:
            found = await self._breakers.call(service, work, transient=(ServiceDown,), again=again)
        except (ServiceDown, BadRequest, Refused) as error:
            return f"{offer.name}: {error.message}"
        return CallExecution(wire.encode(found.value))


def as_tool(offer: Offer) -> Tool:
    """The offer in the shape that arguments are read for; it has no code, so it cannot run."""
    spec = Spec(
        name=offer.name.replace(".", "_").replace("-", "_"),
        description=offer.description,
        parameters={"type": "object", "properties": {}, **offer.parameters},
        returns={},
        effect=offer.effect,
    )
    version = Version(f"connector:{offer.name}", offer.name, 0, "", spec, (), (), {}, _NEVER)
    return Tool(offer.name, version, Status.VERIFIED, None)


def _near(text: str, offers: list[Offer]) -> list[Offer]:
    """The offers that share words with the request, the nearest first."""
    wanted = set(stems(text))
    scored: list[tuple[int, Offer]] = []
    for offer in offers:
        words = set(stems(f"{offer.name.replace('.', ' ').replace('_', ' ')} {offer.description}"))
        shared = len(wanted & words)
        if shared or offer.web:
            scored.append((shared, offer))
    scored.sort(key=lambda pair: (-pair[0], pair[1].name))
    return [offer for _, offer in scored[:_CHOICES]]
