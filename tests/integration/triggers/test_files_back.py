"""A file that a request makes goes back to where the request came from, on every way."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.triggers import DeliveryState, TriggerKind
from tests.integration.engine import add_tool, percent_script
from tests.integration.triggers.setting_off import a_webhook, an_engine, call
from tests.integration.triggers.slack_double import SIGNING, SlackDouble, mention, served, signed
from tests.integration.triggers.slack_double import TOKEN as SLACK_TOKEN
from tests.integration.triggers.telegram_double import TOKEN, TelegramDouble

ASKED = 'Use save_list with words "bread milk"'
SAVE = """def save_list(words):
    with open("out/list.csv", "w") as file:
        file.write("\\n".join(words.split()))
    return "saved"
"""
MADE = b"bread\nmilk"


async def prepared(hs: Hammerstone) -> None:
    words = {"words": {"type": "string"}}
    await add_tool(hs, SAVE, "Save words as a list in a file.", words, {})
    await hs.policies.change("fit", {"high": 0.0, "middle": 0.0}, who="test", why="found")


def script() -> Any:
    return percent_script(
        arguments=json.dumps({"words": "bread milk"}),
        kind=json.dumps({"kind": "calculation"}),
        choose=json.dumps({"function": "save_list"}),
    )


@pytest.fixture
def slack() -> Iterator[SlackDouble]:
    double = SlackDouble()
    server = served(double)
    yield double
    server.should_exit = True


@pytest.fixture
def telegram() -> Iterator[TelegramDouble]:
    double = TelegramDouble()
    server = served(double)  # type: ignore[arg-type]
    yield double
    server.should_exit = True


async def test_into_the_thread_at_slack(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_engine(tmp_path, script()) as hs:
        await prepared(hs)
        config: dict[str, Any] = {"api": f"{slack.address}/api/", "people": ["UOWNER"]}
        given = {"signing secret": SIGNING, "token": SLACK_TOKEN}
        new = NewTrigger("chat", TriggerKind.SLACK, "", config, credentials=given)
        await hs.triggers.book.add(new, who=hs.settings.user)
        body = mention(ASKED)
        await hs.triggers.receive("chat", signed(body, "application/json"), body)
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE, done.reason
        ((name, content),) = slack.uploads
        assert name == "list.csv" and MADE in content
        await hs.triggers.driver.close()


async def test_into_the_chat_at_telegram(tmp_path: Path, telegram: TelegramDouble) -> None:
    async with an_engine(tmp_path, script()) as hs:
        await prepared(hs)
        config: dict[str, Any] = {"api": telegram.address, "channels": ["7"], "people": ["99"]}
        new = NewTrigger("bot", TriggerKind.TELEGRAM, "", config, credentials={"token": TOKEN})
        trigger = (await hs.triggers.book.add(new, who=hs.settings.user)).trigger
        telegram.said(ASKED)
        await hs.triggers.driver.poll(trigger, None)
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE, done.reason
        (sent,) = telegram.documents
        assert MADE in sent and b"list.csv" in sent
        await hs.triggers.driver.close()


class Receiver:
    """Somebody's address, which keeps what comes."""

    def __init__(self) -> None:
        self.address = ""
        self.documents: list[dict[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        self.documents.append(json.loads(body))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def test_to_an_address_and_into_a_folder(tmp_path: Path) -> None:
    receiver = Receiver()
    server = served(receiver)  # type: ignore[arg-type]
    out = tmp_path / "out"
    try:
        async with an_engine(tmp_path, script()) as hs:
            await prepared(hs)
            asked = 'Use save_list with words "{words}"'
            for name, answers in (("one", f"url:{receiver.address}"), ("two", f"folder:{out}")):
                secret = await a_webhook(hs, asked, name, answers=answers)
                payload = {"words": "bread milk"}
                assert (await call(hs, secret, payload, name=name)).status == 202
            done = await hs.triggers.work_off()
            assert [one.state for one in done] == [DeliveryState.DONE] * 2
    finally:
        server.should_exit = True
    (document,) = receiver.documents
    (file,) = document["files"]
    assert (file["name"], base64.b64decode(file["content_base64"])) == ("list.csv", MADE)
    (answer,) = out.glob("*.json")
    (name,) = json.loads(answer.read_text())["files"]
    assert name.endswith("-list.csv") and (out / name).read_bytes() == MADE
