"""Triggers: what starts requests by itself, what each did, and the address for signed calls."""

from typing import Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.people import Caller, PersonRole
from hammerstone.core.triggers import Delivery, Trigger, TriggerKind, TriggerLimits
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import TARGET, Asking, Engine

router = APIRouter(tags=["triggers"], responses=ERRORS)


class TriggerBody(BaseModel):
    """A trigger to add. Which of these count depends on its kind; see docs/triggers.md."""

    name: str = Field(min_length=1, max_length=64)
    kind: TriggerKind
    request: str = Field("", max_length=20_000, description="What is asked; {path} takes a value.")
    cron: str = Field("", max_length=200, description="Of a schedule: '0 8 * * 1', or @daily.")
    zone: str = Field("UTC", max_length=80, description="The time zone of a schedule.")
    files: list[str] = Field(default=[], max_length=20, description="Files or folders attached.")
    folder: str = Field("", max_length=1000, description="The folder that is watched.")
    pattern: str = Field("*", max_length=200, description="Which of its files count.")
    existing: bool = Field(False, description="Whether files that are there already count.")
    attach_payload: bool = Field(False, description="Attach a webhook's payload as payload.json.")
    attach_files: bool = Field(False, description="Attach the files of a webhook's payload.")
    channels: list[str] = Field(default=[], max_length=100, description="Ids; none is all.")
    people: list[str] = Field(
        default=[], max_length=20, description="The person's own ids in the chat: they may allow."
    )
    signing_secret: str = Field("", max_length=200, description="Of the Slack app.")
    bot_token: str = Field("", max_length=400, description="Of the Slack app or Telegram bot.")
    api: str = Field("", max_length=400, description="Another address that speaks the protocol.")
    answers: str = Field("", max_length=1000, description="channel, log, url:… or folder:…")
    user: str | None = Field(None, max_length=64, description="The person it works for.")
    level: int | None = Field(None, ge=1, le=5, description="The maturity level.")
    runs_a_day: int | None = Field(100, ge=1, le=1_000_000)
    tokens_a_day: int | None = Field(200_000, ge=1, le=1_000_000_000)
    usd_a_day: float | None = Field(1.0, gt=0, le=100_000)
    tools: list[str] | None = Field(None, max_length=200, description="Allowed tools; new: new.")

    def asked(self) -> NewTrigger:
        names = ("cron", "zone", "files", "folder", "pattern", "existing", "attach_payload")
        more = ("attach_files", "channels", "people", "api")
        config = {name: getattr(self, name) for name in (*names, *more)}
        given = {"signing secret": self.signing_secret, "token": self.bot_token}
        tools = None if self.tools is None else tuple(self.tools)
        limits = TriggerLimits(
            self.level, self.runs_a_day, self.tokens_a_day, self.usd_a_day, tools
        )
        return NewTrigger(
            self.name, self.kind, self.request, config, limits, self.answers, self.user,
            {name: value for name, value in given.items() if value},
        )  # fmt: skip


@router.get("/api/triggers")
async def triggers(hs: Engine, who: Asking) -> list[dict[str, Any]]:
    """An owner sees all triggers, others those that work for them; never a secret."""
    found = await hs.triggers.book.list(_whose(who))
    return [{**await hs.triggers.book.document(one)} for one in found]


@router.post("/api/triggers", status_code=201)
async def add(body: TriggerBody, request: Request, hs: Engine, who: Asking) -> dict[str, Any]:
    """Add a trigger. A webhook's secret is in this answer and is never shown again."""
    request.scope[TARGET] = f"{body.name} ({body.kind})"
    added = await hs.triggers.book.add(body.asked(), who=who.name)
    hs.triggers.driver.wake()
    return {**added.trigger.to_json(), "secret": added.secret or None}


@router.get("/api/triggers/log")
async def whole_log(
    hs: Engine, who: Asking, limit: int = Query(50, ge=1, le=1000)
) -> list[dict[str, Any]]:
    """What all triggers did, newest first."""
    rows = await hs.triggers.book.log(None, limit, _whose(who))
    own = {one.name for one in await hs.triggers.book.list(who.name)}
    return [_row(row, row.trigger in own) for row in rows]


@router.get("/api/triggers/{name}")
async def show(name: str, hs: Engine, who: Asking) -> dict[str, Any]:
    """One trigger, with what it has used of its day."""
    return {**await hs.triggers.book.document(await _get(hs, name, who))}


@router.delete("/api/triggers/{name}")
async def remove(name: str, hs: Engine) -> dict[str, Any]:
    """Remove a trigger, its secret and its log; its runs stay."""
    await hs.triggers.book.remove(name)
    return {"name": name, "state": "removed"}


@router.get("/api/triggers/{name}/log")
async def log(
    name: str, hs: Engine, who: Asking, limit: int = Query(50, ge=1, le=1000)
) -> list[dict[str, Any]]:
    """What a trigger did, newest first, with the run and the trace of each."""
    trigger = await _get(hs, name, who)
    return [_row(row, trigger.user == who.name) for row in await hs.triggers.book.log(name, limit)]


@router.get("/api/triggers/{name}/history")
async def history(name: str, hs: Engine, who: Asking) -> dict[str, Any]:
    """The numbers that its answers came to over time: the person's own."""
    trigger = await hs.triggers.book.get(name, who.name)
    return {**await hs.triggers.book.history(trigger.name)}


@router.post("/api/triggers/{name}/pause")
async def pause(name: str, hs: Engine) -> dict[str, Any]:
    """Let a trigger rest."""
    changed = await hs.triggers.book.pause(name)
    return {"name": name, "state": "paused", "changed": changed}


@router.post("/api/triggers/{name}/resume")
async def resume(name: str, hs: Engine) -> dict[str, Any]:
    """Let a trigger go on; the times that a schedule missed are not made up for."""
    changed = await hs.triggers.book.resume(name)
    hs.triggers.driver.wake()
    return {"name": name, "state": "active", "changed": changed}


@router.post("/api/triggers/{name}/run")
async def run(name: str, hs: Engine, who: Asking) -> dict[str, Any]:
    """Set a trigger off by hand, once; answers when it is done."""
    trigger = await hs.triggers.book.get(name)
    return _row(await hs.triggers.run(name), trigger.user == who.name)


@router.post("/hooks/{name}", status_code=202)
async def hook(name: str, request: Request, hs: Engine) -> JSONResponse:
    """The public address of a trigger: webhooks by the Standard Webhooks signature, and Slack's
    events, commands and buttons by Slack's. 202 with an id; 200 for a repeat; 401 for a wrong or
    old signature; 400 for a payload that is not JSON; 409 for another body under a known id."""
    reply = await hs.triggers.receive(name, request.headers, await request.body())
    return JSONResponse(reply.document, reply.status)


def _whose(who: Caller) -> str | None:
    return None if who.role is PersonRole.OWNER else who.name


async def _get(hs: Any, name: str, who: Caller) -> Trigger:
    return await hs.triggers.book.get(name, _whose(who))


def _row(row: Delivery, own: bool) -> dict[str, Any]:
    """A line of the log; what a request came to is told to its person alone."""
    document = dict(row.to_json())
    if not own:
        document |= {"value": None, "note": "", "run_id": "", "trace_id": "", "session_id": ""}
    return document
