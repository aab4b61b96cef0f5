"""Runs, tools and values for tests of single stages: nothing behind them but what a test gives."""

import inspect
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from hammerstone.core.answers import Event
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Spec, Status, Tool, Version
from hammerstone.guard.budget import Budget
from hammerstone.run.act.step_outcome import CallExecution, StepOutcome
from hammerstone.run.context import Contacts, Emitter, Run
from hammerstone.run.request import Request
from hammerstone.run.services import Records
from hammerstone.storage import Database, RevisionSnapshot, SessionValue
from tests.hand_clock import HandClock

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def with_stub(kind: Any, stub: Any) -> Any:
    """A stage of which every service is one stub; its clock stands still."""
    names = inspect.signature(kind).parameters
    return kind(**{name: HandClock() if name == "clock" else stub for name in names})


def keep_all(value: Any) -> Any:
    return value


def records(db: Database | None = None, clock: HandClock | None = None) -> Records:
    return Records(cast(Any, db), clock or HandClock(), cast(Any, None), keep_all)


def make_run(
    text: str = "double 5",
    *,
    contacts: Contacts | None = None,
    owner: str | None = None,
    told: list[Event] | None = None,
    db: Database | None = None,
    clock: HandClock | None = None,
    files: tuple[Path, ...] = (),
    **request: Any,
) -> Run:
    """A run at its beginning; `told` collects events, an `owner` means a past session."""

    async def on_event(event: Event) -> None:
        if told is not None:
            told.append(event)

    clock = clock or HandClock()
    emitter = Emitter("run1", "s1", records(db, clock), on_event)
    return Run(
        id="run1",
        request=Request(text, "s1", "ada", files, **request),
        trace_id="t1",
        seen=RevisionSnapshot(owner, 1, 1, 1, 1, documents=True, stops=False),
        clock=clock,
        began_s=clock.elapsed_s(),
        budget=Budget(),
        contacts=contacts or Contacts(),
        emitter=emitter,
    )


def make_tool(
    name: str = "double",
    *,
    parameters: dict[str, Any] | None = None,
    returns: Any = "number",
    status: Status = Status.VERIFIED,
    confidence: float | None = 0.9,
    code: str = "",
    number: int = 1,
    **spec: Any,
) -> Tool:
    schema = {"n": {"type": "number"}} if parameters is None else parameters
    made = Spec(
        name,
        spec.pop("description", "Twice a number."),
        {"type": "object", "properties": schema, "required": [*schema]},
        {"type": returns},
        **spec,
    )
    code = code or f"def {name}(n):\n    return n * 2\n"
    version = Version(f"v-{name}-{number}", name, number, code, made, (), (), {}, NOW)
    return Tool(name, version, status, confidence)


def session_value(value: Json, *, step: int = 1, run_id: str = "run0", **more: Any) -> SessionValue:
    given: dict[str, Any] = {"name": "r1", "kind": "number", "tool": "double", "about": "", **more}
    return SessionValue(
        given.pop("id", f"{run_id}-{step}"), "s1", run_id, step, given.pop("name"),
        given.pop("kind"), given.pop("tool"), given.pop("about"), value, NOW,
        NOW + timedelta(days=1), **given,
    )  # fmt: skip


def done(value: Json = 10, tool: Tool | None = None, **more: Any) -> StepOutcome:
    """A step that a tool did."""
    tool = tool or make_tool()
    value = more.pop("result", value)
    return StepOutcome(
        True, tool, {"n": 5}, CallExecution(value), value, **{"certain_arguments": True, **more}
    )
