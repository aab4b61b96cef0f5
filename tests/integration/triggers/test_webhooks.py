"""Webhooks: signed calls become requests, each once; everything else is turned away."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.errors import BadRequest
from hammerstone.core.people import PersonRole
from hammerstone.core.triggers import DeliveryState, TriggerKind
from tests.integration.engine import percent_script
from tests.integration.triggers.setting_off import PAYLOAD, a_webhook, an_engine, call, limits

CALCULATION = json.dumps({"kind": "calculation"})


async def test_a_signed_call_becomes_a_run_with_its_trace(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs, answers=f"folder:{tmp_path}/out")
        reply = await call(hs, secret)
        assert reply.status == 202
        (done,) = await hs.triggers.work_off()
        assert (done.id, done.state, done.value) == (
            reply.document["id"], DeliveryState.DONE, {"value": 42.0},
        )  # fmt: skip
        await hs._answerer.settle()
        trace = await hs.traces.get(done.trace_id)
        assert "17.5" in str(trace)
        (written,) = (tmp_path / "out").glob("*.json")
        assert json.loads(written.read_text())["result"] == 42.0


async def test_a_repeat_is_the_same_delivery(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        first, again = await call(hs, secret), await call(hs, secret)
        assert (first.status, again.status) == (202, 200)
        assert again.document == {"id": first.document["id"], "repeat": True}
        assert len(await hs.triggers.work_off()) == 1
        assert (await call(hs, secret)).status == 200
        other = await call(hs, secret, {"percent": 1, "number": 2})
        assert other.status == 409
        assert await hs.triggers.work_off() == []


async def test_forged_calls_learn_nothing(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        forged = await call(hs, "whsec_" + "A" * 44)
        unknown = await call(hs, secret, name="nothing")
        assert forged == unknown and forged.status == 401
        assert (await hs.triggers.receive("orders", {}, b"{}")).status == 401
        (row,) = await hs.triggers.book.log("orders")
        assert (row.reason, row.count) == ("a wrong signature", 2)


async def test_a_wrong_clock_is_told_to_the_real_sender(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        late, early = await call(hs, secret, off_s=-3600), await call(hs, secret, off_s=3600)
        assert (late.status, early.status) == (401, 401)
        assert "clock" in str(late.document["error"])
        reasons = {row.reason for row in await hs.triggers.book.log("orders")}
        assert reasons == {
            "the sender's clock is behind, or an old call was repeated",
            "the sender's clock is ahead, or an old call was repeated",
        }


@pytest.mark.parametrize(
    ("payload", "status", "why"),
    [
        (b"percent=17", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b"[NaN]", 400, "not JSON"),
        (b"[" * 100_000, 400, "nested too deep"),
        ({"percent": 1}, 400, "no number"),
        ({"percent": "x" * 25_000, "number": "y"}, 202, ""),
    ],
)
async def test_payloads(tmp_path: Path, payload: object, status: int, why: str) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        reply = await call(hs, secret, payload)
        assert reply.status == status
        assert why in str(reply.document.get("error", ""))


async def test_a_person_who_was_revoked(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        await hs.people.add("omar", PersonRole.OWNER, who="test")
        await hs.people.add("bea", PersonRole.MEMBER, who="test")
        secret = await a_webhook(hs, user="bea")
        await hs.people.revoke("bea")
        assert (await call(hs, secret)).status == 202
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.REFUSED
        assert "bea has no access any more" in done.reason
        with pytest.raises(BadRequest, match="no access"):
            await a_webhook(hs, name="another", user="bea")


async def test_the_budget_of_the_day_is_told(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs, limits=limits(runs_a_day=1))
        await call(hs, secret, id="one")
        await call(hs, secret, id="two")
        first, second = await hs.triggers.work_off()
        assert first.state is DeliveryState.DONE
        assert second.state is DeliveryState.REFUSED
        assert second.reason == (
            "the day's limit of 1 requests is used up; it starts again at midnight UTC"
        )


async def test_only_allowed_tools_run(tmp_path: Path) -> None:
    async with an_engine(tmp_path, percent_script(kind=CALCULATION)) as hs:
        secret = await a_webhook(hs, limits=limits(tools=("nothing_*",)))
        await call(hs, secret)
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.FAILED
        assert "not among the tools" in done.reason


async def test_a_trigger_cannot_raise_the_level_of_the_agent(tmp_path: Path) -> None:
    async with an_engine(tmp_path, percent_script(kind=CALCULATION)) as hs:
        secret = await a_webhook(hs, limits=limits(level=5))
        await hs.policies.change("maturity", {"level": 2}, who="test", why="careful")
        await call(hs, secret)
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.FAILED
        assert "maturity level is 2" in done.reason


async def test_the_stop_switch_stops_triggers_and_loses_nothing(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        await hs.stop.stop("all", who="test")
        assert (await call(hs, secret)).status == 202
        with pytest.raises(Exception, match="stopped"):
            await hs.triggers.work_off()
        await hs.stop.resume("all")
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE


async def test_a_paused_trigger_takes_nothing_in(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        assert await hs.triggers.book.pause("orders")
        assert (await call(hs, secret)).status == 409
        assert await hs.triggers.book.resume("orders")
        assert (await call(hs, secret)).status == 202


async def test_a_finished_run_is_not_done_again_by_the_next_process(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs, answers="url:http://127.0.0.1:9/nobody")
        await call(hs, secret)
        done = await hs.triggers.runner.do_next()
        assert done is not None and done.state is DeliveryState.WAITING
        assert "could not be sent" in done.reason
        await hs._answerer.settle()
        asked = len(await hs._wiring.services.records.db.runs.of_session(done.session_id))
        db = hs._wiring.services.records.db
        job = await db.jobs.find("trigger", done.id)
        assert job is not None and asked == 1
        known = await hs.triggers.runner._known(
            await _claimed(hs, replace(job, attempts=2))  # type: ignore[arg-type]
        )
        assert known is not None and known.result == 42.0


async def _claimed(hs: object, job: object) -> object:
    return await hs.triggers.runner._claimed(job)  # type: ignore[attr-defined]


async def test_secrets_are_in_no_table_and_no_log(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        await call(hs, secret)
        await hs.triggers.work_off()
        await hs._answerer.settle()
        document = await hs.triggers.book.document(await hs.triggers.book.get("orders"))
        assert secret not in json.dumps(document)
    bare = secret.removeprefix("whsec_").encode()
    holders = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    found = [path for path in holders if bare in path.read_bytes()]
    assert [path.name for path in found] == ["orders.json"]
    assert found[0].stat().st_mode & 0o777 == 0o600


async def test_removed_with_everything_but_its_runs(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs)
        await call(hs, secret)
        await hs.triggers.book.remove("orders")
        assert await hs.triggers.work_off() == []
        assert (await call(hs, secret)).status == 401
        assert not list((tmp_path / "data" / "triggers" / "credentials").iterdir())


async def test_what_cannot_be_a_webhook(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        for request in ("", "{amounts}", "  "):
            with pytest.raises(BadRequest, match="must say what to do"):
                await a_webhook(hs, request)
        with pytest.raises(BadRequest, match="no name for a trigger"):
            await a_webhook(hs, name="../up")
        await a_webhook(hs)
        with pytest.raises(BadRequest, match="already"):
            await a_webhook(hs)
        with pytest.raises(BadRequest, match="no channel"):
            await a_webhook(hs, name="two", answers="channel")
        bad = NewTrigger("three", TriggerKind.WEBHOOK, "Add {a}", credentials={"secret": "short"})
        with pytest.raises(BadRequest, match="can be guessed"):
            await hs.triggers.book.add(bad, who=hs.settings.user)
    assert PAYLOAD


def with_files(*files: object) -> dict[str, object]:
    return {**PAYLOAD, "files": list(files)}


async def test_files_of_a_payload_are_given_to_the_request(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs, config={"attach_files": True})
        given = {"name": "../../list.csv", "content_base64": "MQoyCg=="}
        assert (await call(hs, secret, with_files(given))).status == 202
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        (kept,) = await hs.files.list()
        assert kept.name == "list.csv"
        assert not list((tmp_path / "data" / "triggers" / "files").glob("*/*"))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"name": "a.csv", "content_base64": "no!"}, "not base64"),
        ({"name": "a.csv"}, "not base64"),
        ({"name": "..", "content_base64": ""}, "no name that can be used"),
        ({"content_base64": ""}, "has a name"),
        ("text", "has a name"),
    ],
)
async def test_files_that_cannot_be_taken_are_told(tmp_path: Path, files: object, why: str) -> None:
    async with an_engine(tmp_path) as hs:
        secret = await a_webhook(hs, config={"attach_files": True})
        reply = await call(hs, secret, with_files(files))
        assert reply.status == 400 and why in str(reply.document["error"])
        assert await hs.triggers.work_off() == []
