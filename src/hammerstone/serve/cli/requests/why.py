"""`hammerstone why`: how an answer came about, step by step."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import clock, count, moment, percent, shortened
from hammerstone.serve.cli.completion import complete_runs
from hammerstone.serve.cli.output import AsJson, hint, print_json, say
from hammerstone.serve.cli.requests.answers import call_lines, cost_words, sureness_lines
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import show_pairs
from hammerstone.serve.cli.terminal import one_line

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

_MOST_STEPS = 40
_MOST_CASES = 5
_LONGEST = 400


def why(
    run: Annotated[
        str | None,
        typer.Argument(
            help="The run's id; your last answer without.", autocompletion=complete_runs
        ),
    ] = None,
    answer: Annotated[
        bool, typer.Option("--answer", help="Print only the whole answer, however long.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Explain an answer: what was called, how sure it is, the tool and its tests, each step."""
    found = with_engine(lambda hs: explanation(hs, run))
    if as_json:
        print_json(found)
    elif answer:
        say(str((found["answer"] or {}).get("text", "")), fold=False)
    else:
        show_explanation(found)


async def explanation(hs: "Hammerstone", run: str | None) -> dict[str, Any]:
    """All that is kept about how a run was answered; of the last one without an id."""
    from hammerstone.core.answers import EventKind
    from hammerstone.core.errors import NotFound

    user = hs.settings.user
    if run is None:
        last = await hs.sessions.last_run(user)
        if last is None:
            raise NotFound("nothing was asked yet", hint='hammerstone ask "..."')
        run = last.id
    row, events = await hs.sessions.run(run, user)
    answer: Any = row.answer if isinstance(row.answer, dict) else None
    return {
        "run_id": row.id,
        "session_id": row.session_id,
        "trace_id": row.trace_id,
        "request": row.request,
        "status": row.status,
        "asked_at": row.started_at.isoformat(),
        "answer": answer,
        "tool": await _tool(hs, (answer or {}).get("tool")),
        "steps": [
            {
                "after_s": max(0.0, (event.at - row.started_at).total_seconds()),
                "kind": str(event.kind),
                "text": event.text,
            }
            for event in events
            if event.kind is not EventKind.DONE and not event.data.get("piece")
        ],
    }


async def _tool(hs: "Hammerstone", name: str | None) -> dict[str, Any] | None:
    from hammerstone.app.present import case_line, tool_summary

    tool = await hs.tools.find(name) if name else None
    if tool is None:
        return None
    seen = await hs.sharing.seen_by(tool.version, hs.settings.user)
    return {
        **tool_summary(tool),
        "code": tool.version.code,
        "tests": [case_line(case, tool.name) for case in seen.suite],
    }


def show_explanation(found: dict[str, Any]) -> None:
    """The explanation in words, each part below its name."""
    answer = found["answer"] or {}
    told = [("You asked", f"{found['request']}\n{moment(found['asked_at'])}")]
    told.append(("Answer", shortened(str(answer.get("text", found["status"])), _LONGEST)))
    called = [line for line, _ in call_lines(answer)]
    if called:
        told.append(("Call", "\n".join(called)))
    sure = [line for line, _ in sureness_lines({**answer, "text": ""})]
    if sure:
        told.append(("How sure", "\n".join(sure)))
    told.append(("Steps", "\n".join(_steps(found["steps"]))))
    if found["tool"]:
        told.append(("Tool", "\n".join(_tool_lines(found["tool"], answer.get("version")))))
    elif answer.get("code"):
        told.append(("Program", str(answer["code"]).strip()))
    told.append(("It took", ", ".join(cost_words(answer))))
    show_pairs([(name, text) for name, text in told if text])
    more = f"hammerstone traces show {found['trace_id'][:12]}"
    if found["tool"]:
        more = f"hammerstone tools show {one_line(found['tool']['name'])}, {more}"
    hint(f"More: {more}")


def _steps(steps: list[dict[str, Any]]) -> list[str]:
    lines = [
        f"{clock(step['after_s'])}  {shortened(one_line(_step(step)), _LONGEST)}"
        for step in steps[:_MOST_STEPS]
    ]
    more = len(steps) - len(lines)
    return [*lines, f"and {count(more, 'more step', 'more steps')}"] if more > 0 else lines


def _step(step: dict[str, Any]) -> str:
    """A step in words; the text of a result is the bare value."""
    return f"the result so far: {step['text']}" if step["kind"] == "answer" else step["text"]


def _tool_lines(tool: dict[str, Any], version: int | None) -> list[str]:
    sure = "" if tool["confidence"] is None else f", {percent(tool['confidence'])} sure"
    lines = [f"{tool['name']} v{tool['version']} ({tool['status']}{sure})", tool["description"]]
    if version not in (None, tool["version"]):
        lines.append(f"This answer is by v{version}.")
    lines += [tool["code"].strip(), f"It passes {count(len(tool['tests']), 'test')}:"]
    lines += [f"  {one_line(line)}" for line in tool["tests"][:_MOST_CASES]]
    if len(tool["tests"]) > _MOST_CASES:
        lines.append(f"  and {len(tool['tests']) - _MOST_CASES} more")
    return lines
