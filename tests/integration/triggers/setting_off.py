"""An engine with triggers, and signed calls to them, for tests."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.hook_door import HookReply
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.connectors.webhooks import signed_headers
from hammerstone.core.triggers import TriggerKind, TriggerLimits
from tests.integration.engine import Script, percent_script, scripted_engine

REQUEST = "What is {percent}% of {number}?"
PAYLOAD = {"percent": 17.5, "number": 240}


@asynccontextmanager
async def an_engine(folder: Path, script: Script | None = None) -> AsyncIterator[Hammerstone]:
    async with scripted_engine(script or percent_script(), folder / "data") as hs:
        yield hs


async def a_webhook(
    hs: Hammerstone, request: str = REQUEST, name: str = "orders", **more: Any
) -> str:
    """A webhook's secret."""
    new = NewTrigger(name, TriggerKind.WEBHOOK, request, **more)
    return (await hs.triggers.book.add(new, who=hs.settings.user)).secret


def limits(**more: Any) -> TriggerLimits:
    return TriggerLimits(**more)


async def call(
    hs: Hammerstone,
    secret: str,
    payload: Any = None,
    *,
    id: str = "msg_1",
    off_s: float = 0.0,
    name: str = "orders",
) -> HookReply:
    """A signed call as a sender makes it, whose clock is `off_s` ahead."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload or PAYLOAD).encode()
    sent = int(hs._wiring.services.records.clock.now().timestamp() + off_s)
    headers = signed_headers(secret, id, sent, body)
    return await hs.triggers.receive(name, headers, body)
