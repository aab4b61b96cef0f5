"""Requests and their runs."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from hammerstone.core.errors import Overloaded
from hammerstone.core.people import Right
from hammerstone.run.request import AskOptions
from hammerstone.serve.api.bodies import ERRORS, AnswerBody, AskBody, event_document
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import Asking, Engine, Person, Runs
from hammerstone.serve.api.runs import LiveRun, RunOptions

router = APIRouter(tags=["requests"], responses=ERRORS)


class StartedBody(BaseModel):
    run_id: str
    session_id: str


class ReplyBody(BaseModel):
    choice: int | None = Field(None, description="Which of the results shown is right.", ge=0)
    approve: bool | None = Field(None, description="Whether the action may happen.")
    id: str | None = Field(None, description="Which approval or question; approvals need it.")


def _files(request: Request, user: str, names: list[str]) -> list[Any]:
    given: GivenFiles = request.app.state.files
    return list(given.paths(user, names))


@router.post("/api/ask", responses={202: {"model": StartedBody}})
async def ask(
    body: AskBody,
    request: Request,
    hs: Engine,
    caller: Asking,
    runs: Runs,
    prefer: Annotated[str, Header(description="`respond-async`: answer 202 at once.")] = "",
) -> AnswerBody:
    """Answer one request; the steps on the way are on the WebSocket `/ws`.

    The tool behind a solved answer is proved afterwards (`proof: pending`); with `wait` the reply
    comes when that is done. With `Prefer: respond-async` the request is stored, whichever process
    comes first answers it, and the reply is 202 with its `run_id`: see `/api/runs/{run_id}`.

    Where the line breaks before the reply, `GET /api/runs/{run_id}` with an id that was given says
    what came of it; 404 means that nothing was begun.
    """
    if body.run_id and await runs.is_known(body.run_id, caller.name):
        if (live := runs.find(body.run_id, caller.name)) is not None:
            await live.accepted.wait()
        return AnswerBody.model_validate((await hs.queue.answer_of(body.run_id)).to_json())
    files = _files(request, caller.name, body.files)
    options = AskOptions(
        user=caller.name,
        run_id=body.run_id or "",
        keep=caller.may(Right.BUILD),
        fresh=body.fresh,
        model=body.model,
    )
    if "respond-async" in prefer.lower():
        queued = await hs.ask_later(body.text, files=files, session=body.session, options=options)
        started = {"run_id": queued.run_id, "session_id": queued.session_id}
        where = {"location": f"/api/runs/{queued.run_id}", "preference-applied": "respond-async"}
        return JSONResponse(started, 202, where)  # pyright: ignore[reportReturnType]
    answer = await hs.ask(body.text, files=files, session=body.session, options=options)
    if body.wait:
        answer = await hs.proofs.wait(answer)
    return AnswerBody.model_validate(answer.to_json())


@router.post("/api/runs", status_code=202)
async def start(
    body: AskBody, request: Request, hs: Engine, caller: Asking, runs: Runs
) -> StartedBody:
    """Start answering; watch it at `/api/runs/{run_id}` or on `/ws`.

    The reply comes once the request outlives this server: then it is answered whatever happens.
    Where it cannot be stored, as on a full disk, the reply is that error.
    """
    known = body.run_id and await runs.is_known(body.run_id, caller.name)
    if body.run_id and known and runs.find(body.run_id, caller.name) is None:
        row, _ = await hs.sessions.run(body.run_id, caller.name)
        return StartedBody(run_id=row.id, session_id=row.session_id)
    files = _files(request, caller.name, body.files)
    how = RunOptions(
        run_id=body.run_id,
        session=body.session,
        files=files,
        fresh=body.fresh,
        model=body.model,
    )
    run = runs.start(body.text, caller=caller, **how)
    await run.accepted.wait()
    if run.done:
        await hs.settle()
    if run.error is not None:
        stored = await hs.sessions.owner_of_run(run.id) is not None
        if isinstance(run.error, Overloaded) or not stored:
            raise run.error
    return StartedBody(run_id=run.id, session_id=run.session_id)


@router.get("/api/runs")
async def running(user: Person, runs: Runs) -> list[dict[str, Any]]:
    """The runs of this process that are going on or ended a short while ago."""
    return [_live(run) for run in runs.of(user)]


@router.get("/api/runs/{run_id}")
async def show(
    run_id: str, hs: Engine, user: Person, runs: Runs, after: int = -1
) -> dict[str, Any]:
    """A run with its messages after number `after`; finished ones from the store."""
    live = runs.find(run_id, user)
    proof = str(await hs.proofs.state(run_id))
    if live is not None:
        messages = [m for m in live.messages if m["number"] > after]
        return {**_live(live), "proof": proof, "messages": messages}
    row, events = await hs.sessions.run(run_id, user)
    messages = [
        {"type": "agent_event", "event": event_document(event), "number": event.number}
        for event in events
        if event.number > after
    ]
    return {
        "run_id": row.id,
        "session_id": row.session_id,
        "text": row.request,
        "status": row.status,
        "answer": row.answer,
        "proof": proof,
        "messages": messages,
    }


@router.post("/api/runs/{run_id}/cancel")
async def cancel(run_id: str, hs: Engine, user: Person, runs: Runs) -> dict[str, Any]:
    """Stop a run, whichever process is at it; what it has learned so far stays."""
    run = runs.find(run_id, user)
    if run is not None:
        await runs.cancel(run)
        return _live(run)
    await hs.queue.cancel(run_id, user)
    return {"run_id": run_id, "status": "cancelled"}


@router.post("/api/runs/{run_id}/answer")
async def answer(run_id: str, body: ReplyBody, user: Person, runs: Runs) -> dict[str, Any]:
    """Answer what the run asks: a choice between results, or leave to act."""
    run = runs.get(run_id, user)
    if body.approve is None:
        run.choose(body.choice, body.id)
    else:
        run.approve(body.approve, body.id)
    return _live(run)


def _answer(run: LiveRun, last: dict[str, Any]) -> dict[str, Any] | None:
    """The run's answer with what its proof said since."""
    answer: dict[str, Any] = last.get("answer") or {}
    for message in run.messages if answer else ():
        event = message.get("event", {})
        if event.get("kind") == "proof":
            said = event["data"]
            answer = {**answer, "proof": said["proof"], "tool_confidence": said["confidence"]}
            answer |= {k: said[k] for k in ("tool", "version") if said[k] is not None}
        elif event.get("kind") == "correction":
            said = event["data"]
            answer = {**answer, "result": said["result"], "correction": said}
    return answer or None


def _live(run: LiveRun) -> dict[str, Any]:
    ended = [one for one in run.messages if one["type"] == "query_complete"]
    last = ended[-1] if ended else {}
    status = "running"
    if run.done:
        status = last["answer"]["status"] if "answer" in last else "failed"
    return {
        "run_id": run.id,
        "session_id": run.session_id,
        "text": run.text,
        "files": list(run.files),
        "elapsed_s": run.elapsed_s,
        "status": status,
        "answer": _answer(run, last),
        "error": last.get("error"),
    }


@router.get("/api/proofs")
async def proofs(hs: Engine, user: Person) -> list[dict[str, Any]]:
    """The proofs behind your answers that are not done, oldest first.

    How far the proof of one answer is says `proof` at `/api/runs/{run_id}`: pending, proved,
    unproved or none.
    """
    return [dict(one.to_json()) for one in await hs.proofs.owed_to(user)]
