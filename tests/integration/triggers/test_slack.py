"""Slack, through its own SDK, against a server that speaks its protocol."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.tools import Effect
from hammerstone.core.triggers import DeliveryState, TriggerKind
from tests.integration.engine import Script, add_tool, percent_script
from tests.integration.triggers.setting_off import an_engine
from tests.integration.triggers.slack_double import (
    SIGNING,
    TOKEN,
    SlackDouble,
    command,
    mention,
    press,
    served,
    signed,
)

ASKED = "What is 17.5% of 240?"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def slack() -> Iterator[SlackDouble]:
    double = SlackDouble()
    server = served(double)
    yield double
    server.should_exit = True


@asynccontextmanager
async def an_app(
    folder: Path, slack: SlackDouble, script: Script | None = None, **config: Any
) -> AsyncIterator[Hammerstone]:
    async with an_engine(folder, script) as hs:
        config = {"api": f"{slack.address}/api/", "people": ["UOWNER"], **config}
        new = NewTrigger(
            "chat", TriggerKind.SLACK, "", config,
            credentials={"signing secret": SIGNING, "token": TOKEN},
        )  # fmt: skip
        await hs.triggers.book.add(new, who=hs.settings.user)
        yield hs
        await hs.triggers.driver.close()


async def tell(hs: Hammerstone, body: bytes, kind: str = "application/json") -> Any:
    reply = await hs.triggers.receive("chat", signed(body, kind), body)
    assert reply.status == 200
    return reply.document


async def test_the_address_is_verified(tmp_path: Path, slack: SlackDouble) -> None:
    challenge = json.dumps({"token": "J", "challenge": "3eZbrw1aB", "type": "url_verification"})
    async with an_app(tmp_path, slack) as hs:
        assert await tell(hs, challenge.encode()) == {"challenge": "3eZbrw1aB"}
        late = await hs.triggers.receive(
            "chat", signed(challenge.encode(), off_s=-400), challenge.encode()
        )
        forged = {**signed(challenge.encode()), "x-slack-signature": "v0=00"}
        nonsense = {**signed(challenge.encode()), "x-slack-request-timestamp": "soon"}
        for headers in (forged, nonsense, {}):
            reply = await hs.triggers.receive("chat", headers, challenge.encode())
            assert reply.status == late.status == 401


async def test_a_mention_is_answered_once_in_its_thread(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        body = mention(ASKED)
        await tell(hs, body)
        retry = {**signed(body), "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout"}
        assert (await hs.triggers.receive("chat", retry, body)).status == 200
        as_message = body.replace(b'"app_mention"', b'"message"')
        await tell(hs, as_message)  # Slack tells of a mention as a message, too
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE and done.value == {"value": 42.0}
        (posted,) = slack.messages.values()
        assert posted["thread_ts"] == "1355517523.000005"
        assert posted["text"].startswith("42")
        assert slack.edits[-1][1] == posted["text"]  # progress and answer are one message


async def test_a_thread_is_a_session(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        await tell(hs, mention(ASKED))
        (first,) = await hs.triggers.work_off()
        await hs._answerer.settle()
        more = {"thread_ts": "1355517523.000005"}
        later = mention("What is 10% of that?", "1355517529.000001", **more)
        await tell(hs, later.replace(b'"app_mention"', b'"message"').replace(b"<@U0LAN0Z89> ", b""))
        (second,) = await hs.triggers.work_off()
        assert first.session_id == second.session_id
        elsewhere = mention("two people talk", "1355517599.000001").replace(
            b'"app_mention"', b'"message"'
        )
        await tell(hs, elsewhere)
        assert await hs.triggers.work_off() == []


async def test_a_slash_command(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        assert await tell(hs, command(ASKED), FORM) == {"text": "Working on it …"}
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        assert slack.texts[0].startswith("42")


async def test_bots_and_echoes_are_loops(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        await tell(hs, mention(ASKED, bot_id="B19LU7CSY"))
        await tell(hs, mention(ASKED, "1.1", subtype="bot_message"))
        assert await hs.triggers.work_off() == []
        await tell(hs, mention(ASKED, "2.1"))
        await hs.triggers.work_off()
        await hs._answerer.settle()
        await tell(hs, mention(slack.texts[-1], "2.2", thread_ts="2.1"))
        for number in range(10):
            await tell(hs, mention(f"And {number}?", f"3.{number}", thread_ts="3.0"))
        reasons = {row.reason: row.count for row in await hs.triggers.book.log("chat")}
        assert reasons["a message of a bot: answering it could be a loop"] == 2
        assert reasons["a loop in C0LAN2Q65: its own answer came back"] == 1
        (many,) = [count for reason, count in reasons.items() if "8 messages within 60 s" in reason]
        assert many == 2


async def test_a_message_of_40_000_characters(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        await tell(hs, mention(ASKED + " " + "x" * 40_000))
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        said = "Your message has 40,022 characters; I read the first 8,000."
        assert said in slack.texts[0]


async def test_a_long_answer_is_cut_with_a_word(slack: SlackDouble) -> None:
    from hammerstone.connectors.chats.chat import ChatPlace
    from hammerstone.connectors.chats.slack import SlackChat

    chat = SlackChat(TOKEN, f"{slack.address}/api/")
    await chat.post(ChatPlace("C1"), "y" * 40_000)
    assert len(slack.texts[0]) <= 12_000
    assert slack.texts[0].endswith("… [cut: 28,060 more characters]")


async def test_a_channel_that_disappears_is_in_the_log(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        slack.gone.add("C0LAN2Q65")
        await tell(hs, mention(ASKED))
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.UNSENT
        assert done.reason == "Slack says channel_not_found about C0LAN2Q65"
        assert done.value == {"value": 42.0} and done.trace_id


async def test_a_channel_that_disappears_while_it_works(
    tmp_path: Path, slack: SlackDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted = slack.chat_postMessage

    def archived_behind_it(values: dict[str, Any]) -> dict[str, Any]:
        said = posted(values)
        slack.gone.add(values["channel"])
        return said

    monkeypatch.setattr(slack, "chat_postMessage", archived_behind_it)
    async with an_app(tmp_path, slack) as hs:
        await tell(hs, mention(ASKED))
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.UNSENT
        assert done.reason == "Slack says is_archived about C0LAN2Q65"
        assert done.value == {"value": 42.0} and done.trace_id
        assert await hs.triggers.work_off() == [], "it is not tried again"


async def test_files_in_and_out(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack) as hs:
        slack.files["list.csv"] = b"1\n2\n3\n"
        good = {"name": "list.csv", "url_private_download": f"{slack.address}/files/list.csv"}
        await tell(hs, mention(ASKED, files=[good]))
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        kept = await hs.files.list()
        assert [row.name for row in kept] == ["list.csv"]
        from hammerstone.connectors.chats.chat import ChatPlace
        from hammerstone.connectors.chats.slack import SlackChat

        chat = SlackChat(TOKEN, f"{slack.address}/api/")
        await chat.upload(ChatPlace("C1", "1.1"), "plot.png", b"\x89PNG")
        assert slack.uploads[0][0] == "plot.png" and b"\x89PNG" in slack.uploads[0][1]
        bad = {"name": "x", "url_private_download": "https://evil.example/steal"}
        await tell(hs, mention(ASKED, "5.5", files=[bad]))
        (done,) = await hs.triggers.work_off()
        assert (done.state, done.reason) == (DeliveryState.FAILED, "x is not kept by Slack")


MONEY = 'Use send_money with account "A1" and amount 5'
SEND = "def send_money(account, amount):\n    return 'sent'\n"
TYPES = {"account": {"type": "string"}, "amount": {"type": "number"}}


async def with_approval(hs: Hammerstone, slack: SlackDouble) -> tuple[Any, str, dict[str, Any]]:
    """A request that waits for permission, and the message that asks for it."""
    await add_tool(hs, SEND, "Send money to an account.", TYPES, {}, Effect.WRITES)
    await hs.policies.change("fit", {"high": 0.0, "middle": 0.0}, who="test", why="found")
    await tell(hs, mention(MONEY))
    working = asyncio.create_task(hs.triggers.runner.do_next())
    while not (found := [(ts, m) for ts, m in slack.messages.items() if m.get("blocks")]) or not [
        one for one in found if "actions" in str(one[1]["blocks"])
    ]:
        assert not working.done(), working.result()
        await asyncio.sleep(0.05)
    ts, message = next(one for one in found if "actions" in str(one[1]["blocks"]))
    return working, ts, message


def value_of(message: dict[str, Any], number: int) -> str:
    blocks = message["blocks"]
    blocks = json.loads(blocks) if isinstance(blocks, str) else blocks
    return blocks[1]["elements"][number]["value"]


def money_script() -> Script:
    return percent_script(
        arguments=json.dumps({"account": "A1", "amount": 5}),
        kind=json.dumps({"kind": "calculation"}),
        choose=json.dumps({"function": "send_money"}),
    )


async def test_buttons_decide_and_only_those_of_its_person(
    tmp_path: Path, slack: SlackDouble
) -> None:
    async with an_app(tmp_path, slack, money_script()) as hs:
        working, ts, message = await with_approval(hs, slack)
        allow = value_of(message, 0)
        told = await tell(hs, press(allow, "USOMEBODY", message, ts), FORM)
        assert told == {"text": "only the person of this trigger may decide that"}
        assert not working.done()
        assert await tell(hs, press(allow, "UOWNER", message, ts), FORM) == {"text": "Allowed."}
        done = await working
        assert done.state is DeliveryState.DONE
        assert slack.messages[ts]["text"] == "Allowed."
        assert "already" in (await tell(hs, press(allow, "UOWNER", message, ts), FORM))["text"]


async def test_nobody_decides_in_time_is_no(tmp_path: Path, slack: SlackDouble) -> None:
    async with an_app(tmp_path, slack, money_script()) as hs:
        await hs.policies.change("approvals", {"wait_s": 0.2}, who="test", why="quick")
        await add_tool(hs, SEND, "Send money to an account.", TYPES, {}, Effect.WRITES)
        await hs.policies.change("fit", {"high": 0.0, "middle": 0.0}, who="test", why="found")
        await tell(hs, mention(MONEY))
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.FAILED
        assert "nobody allowed it in time" in done.reason
        runs = await hs._wiring.services.records.db.executions.list(tool="send_money", limit=5)
        assert runs == []
