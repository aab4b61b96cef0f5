"""A chain that people repeat becomes a tool, and steps back when a part changes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call, Program
from hammerstone.core.errors import BadRequest
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.storage import Execution
from tests.integration.engine import services_of

SUMMARY = "def summary(numbers):\n    return {'total': sum(numbers), 'count': len(numbers)}\n"
TAXED = "def taxed(amount, rate):\n    return round(amount * (100 + rate) / 100, 2)\n"
START = datetime.now(UTC) - timedelta(days=1)


def new(name: str, code: str, effect: Effect = Effect.PURE, **kinds: str) -> NewVersion:
    properties: Any = {parameter: {"type": kind} for parameter, kind in kinds.items()}
    spec = Spec(
        name=name,
        description=f"The {name} of things",
        parameters={"type": "object", "properties": properties, "required": list(kinds)},
        returns={},
        effect=effect,
    )
    return NewVersion(spec, code, (), (), Status.VERIFIED, 0.95, {}, {})


@asynccontextmanager
async def library(folder: Path, effect: Effect = Effect.PURE) -> AsyncIterator[Hammerstone]:
    def silent(_prompt: object) -> str:
        raise AssertionError("no model is needed")

    settings = Settings(data_dir=folder, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(silent))) as hs:
        why = ActivationReason("registered", "test", "test")
        await hs.tools.register(new("summary", SUMMARY, numbers="array"), why)
        taxed = new("taxed", TAXED, effect, amount="number", rate="number")
        await hs.tools.register(taxed, why)
        for number in range(4):
            await chain(hs, number, session=f"s{number % 2}")
        yield hs


async def chain(hs: Hammerstone, number: int, *, session: str) -> None:
    """Record a run in which the total of some numbers was taxed."""
    db = services_of(hs).records.db
    run, at = f"run{number}", START + timedelta(seconds=number)
    numbers, rate = [number, number + 5, 7], 10 + number
    total = sum(numbers)
    steps: list[tuple[str, Any, Any, Any]] = [
        ("summary", {"numbers": numbers}, {"total": total, "count": 3}, {"numbers": "request"}),
        (
            "taxed",
            {"amount": total, "rate": rate},
            round(total * (100 + rate) / 100, 2),
            {"amount": {"step": 0, "path": ["total"]}, "rate": "request"},
        ),
    ]
    await db.runs.start(run, session, "ada", "tax the total", "trace", at)
    for place, (tool, arguments, result, sources) in enumerate(steps):
        version = (await hs.tools.get(tool)).version.id
        await db.executions.add(
            Execution(
                id=f"{run}-{place}",
                run_id=run,
                session_id=session,
                number=place,
                tool=tool,
                version_id=version,
                arguments=arguments,
                result=result,
                ok=True,
                at=at,
                seconds=0.05,
                sources=sources,
            )
        )
    await db.runs.finish(run, "done", None, at)


async def test_a_repeated_chain_becomes_one_tool_that_is_right_on_new_values(tmp_path: Path):
    async with library(tmp_path) as hs:
        told = await hs.learning.run(dry_run=True)
        assert [one["outcome"] for one in told["composites"]] == ["would be built"]  # type: ignore[index,union-attr]
        assert await hs.tools.find("summary_then_taxed") is None

        await hs.learning.run()
        tool = await hs.tools.get("summary_then_taxed")
        arguments = {"numbers": [100, 200], "rate": 5}
        answer = await hs.run_tool(tool.name, arguments)
        assert answer.result == 315.0
        assert tool.version.spec.parameters["required"] == ["numbers", "rate"]
        found = await hs.search.find("summary of things, then taxed")
        assert tool.name in [hit.name for hit in found]
        suggested = await services_of(hs).catalogue.workflows.suggest(  # type: ignore[union-attr]
            "tax the total", ["taxed", "summary"]
        )
        assert [workflow.name for workflow in suggested] == [tool.name]
        await hs._answerer.settle()
        (lesson,) = [one for one in await hs.learning.ledger.lessons() if one.kind == "composite"]
        assert (lesson.kind, lesson.worth.uses, lesson.worth.saved_calls) == ("composite", 1, 1.0)


async def test_a_composite_steps_back_when_a_part_changes_and_returns_with_it(tmp_path: Path):
    async with library(tmp_path) as hs:
        await hs.learning.run()
        name = "summary_then_taxed"
        why = ActivationReason("registered", "test", "test")
        changed = new("summary", SUMMARY.replace("len", "1 * len"), numbers="array")
        await hs.tools.register(changed, why)
        words = "summary of things, then taxed"
        assert name not in [hit.name for hit in await hs.search.find(words)]
        await hs.tools.restore("summary", 1, who="ada")
        assert name in [hit.name for hit in await hs.search.find(words)]

        await hs.tools.retire("summary", who="ada", reason="test")
        report = await hs.learning.run()
        assert [one["outcome"] for one in report["stepped_back"]] == ["was switched off"]  # type: ignore[index,union-attr]
        assert (await hs.tools.get(name)).status is Status.RETIRED
        assert len(await hs.learning.proposals([ProposalState.ROLLED_BACK])) == 1


async def test_a_value_that_does_not_fit_is_told_and_breaks_nothing(tmp_path: Path):
    async with library(tmp_path) as hs:
        await hs.learning.run()
        tool = await hs.tools.get("summary_then_taxed")
        sandbox = await services_of(hs).workshop.sandbox()
        program = Program(tool.version.code, tool.name)
        outcome = await sandbox.call(program, Call(kwargs={"numbers": "text", "rate": 1}))
        assert not outcome.ok


async def test_a_part_that_writes_is_never_put_into_a_composite(tmp_path: Path):
    async with library(tmp_path, Effect.WRITES) as hs:
        report = await hs.learning.run()
        (one,) = report["composites"]  # type: ignore[misc]
        assert "writes" in one["reason"]  # type: ignore[index,call-overload]


async def test_a_deleted_session_takes_its_lessons_along_where_asked(tmp_path: Path):
    async with library(tmp_path) as hs:
        await hs.learning.run()
        kept = await hs.learning.ledger.forget_session("nobody")
        assert kept == ["0 patterns and 0 analyses without it"]
        done = await hs.learning.ledger.forget_session("s0")
        assert any("retired" in line for line in done)
        assert (await hs.tools.get("summary_then_taxed")).status is Status.RETIRED


async def test_undoing_twice_is_told(tmp_path: Path):
    async with library(tmp_path) as hs:
        await hs.learning.run()
        (lesson,) = [one for one in await hs.learning.ledger.lessons() if one.kind == "composite"]
        await hs.learning.gate.undo(lesson.id, who="ada")
        with pytest.raises(BadRequest, match="nothing to undo"):
            await hs.learning.gate.undo(lesson.id, who="ada")


async def test_a_composite_hides_whose_runs_it_was_learned_from(tmp_path: Path):
    async with library(tmp_path) as hs:
        await hs._wiring.services.records.db.sessions.create("ada", "s0")
        await hs.learning.run()
        tool = await hs.tools.get("summary_then_taxed")
        assert tool.version.provenance["people"] == ["ada"] and tool.version.suite
        assert (await hs.sharing.seen_by(tool.version, "ada")).suite == tool.version.suite
        other = await hs.sharing.seen_by(tool.version, "local")
        assert other.suite == () and other.provenance["hidden_cases"] == len(tool.version.suite)
        assert not {"composite", "runs", "people"} & set(other.provenance)
        mine, theirs = [
            next(one for one in await hs.lessons.ledger(who) if one["kind"] == "composite")
            for who in ("ada", "local")
        ]
        assert mine["traces"] and not theirs["traces"]
        shown = await hs.lessons.proposal(str(mine["id"]), "local")
        assert shown["audits"] == [] and shown["title"]
