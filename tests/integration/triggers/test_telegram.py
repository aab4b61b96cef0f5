"""Telegram, through its library, against a server that speaks the Bot API."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.errors import BadRequest
from hammerstone.core.triggers import DeliveryState, Trigger, TriggerKind
from tests.integration.triggers.setting_off import an_engine
from tests.integration.triggers.slack_double import served
from tests.integration.triggers.telegram_double import TOKEN, TelegramDouble

ASKED = "What is 17.5% of 240?"


@pytest.fixture
def telegram() -> Iterator[TelegramDouble]:
    double = TelegramDouble()
    server = served(double)  # type: ignore[arg-type]
    yield double
    server.should_exit = True


@asynccontextmanager
async def a_bot(
    folder: Path, telegram: TelegramDouble
) -> AsyncIterator[tuple[Hammerstone, Trigger]]:
    config: dict[str, Any] = {"api": telegram.address, "channels": ["7"], "people": ["99"]}
    async with an_engine(folder) as hs:
        new = NewTrigger("bot", TriggerKind.TELEGRAM, "", config, credentials={"token": TOKEN})
        yield hs, (await hs.triggers.book.add(new, who=hs.settings.user)).trigger
        await hs.triggers.driver.close()


async def test_a_message_is_answered_once_in_one_message(
    tmp_path: Path, telegram: TelegramDouble
) -> None:
    async with a_bot(tmp_path, telegram) as (hs, trigger):
        telegram.said(ASKED)
        after = await hs.triggers.driver.poll(trigger, None)
        await hs.triggers.driver.poll(trigger, None)  # a process that died before it confirmed
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        assert len(telegram.messages) == 1 and telegram.texts[0].startswith("42")
        assert await hs.triggers.driver.poll(trigger, after) == after
        assert telegram.updates == []


async def test_chats_that_were_not_named_and_bots_are_turned_away(
    tmp_path: Path, telegram: TelegramDouble
) -> None:
    async with a_bot(tmp_path, telegram) as (hs, trigger):
        telegram.said(ASKED, chat=8)
        telegram.said(ASKED, **{"from": {"id": 5, "is_bot": True, "first_name": "b"}})
        await hs.triggers.driver.poll(trigger, None)
        assert await hs.triggers.work_off() == []
        reasons = {row.reason for row in await hs.triggers.book.log("bot")}
        assert reasons == {
            "8 is not among the trigger's channels",
            "a message of a bot: answering it could be a loop",
        }
        bare = NewTrigger("open", TriggerKind.TELEGRAM, credentials={"token": TOKEN})
        with pytest.raises(BadRequest, match="anybody can write to a bot"):
            await hs.triggers.book.add(bare, who=hs.settings.user)


async def test_a_file_comes_along(tmp_path: Path, telegram: TelegramDouble) -> None:
    async with a_bot(tmp_path, telegram) as (hs, trigger):
        telegram.files["BQAD"] = b"1,2\n"
        document = {"file_id": "BQAD", "file_unique_id": "x", "file_name": "a.csv", "file_size": 4}
        telegram.said("", caption=ASKED, document=document)
        await hs.triggers.driver.poll(trigger, None)
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.DONE
        assert [row.name for row in await hs.files.list()] == ["a.csv"]


async def test_put_out_of_a_chat(tmp_path: Path, telegram: TelegramDouble) -> None:
    async with a_bot(tmp_path, telegram) as (hs, trigger):
        telegram.said(ASKED)
        await hs.triggers.driver.poll(trigger, None)
        telegram.gone.add("7")
        (done,) = await hs.triggers.work_off()
        assert done.state is DeliveryState.UNSENT
        assert "kicked" in done.reason and TOKEN not in done.reason


async def test_a_choice_goes_on_in_its_session(tmp_path: Path, telegram: TelegramDouble) -> None:
    async with a_bot(tmp_path, telegram) as (hs, trigger):
        telegram.said(ASKED)
        await hs.triggers.driver.poll(trigger, None)
        (first,) = await hs.triggers.work_off()
        telegram.updates.clear()
        telegram.pressed(f"say:2:{first.session_id}", 500)
        telegram.pressed("say:2:another-session", 500)
        telegram.pressed("give:" + "0" * 32, 500, sender=5)
        await hs.triggers.driver.poll(trigger, None)
        rows = await hs.triggers.book.log("bot")
        waiting = [row for row in rows if row.state is DeliveryState.WAITING]
        assert [row.session_id for row in waiting] == [first.session_id]
        assert any("only its person" in row.reason for row in rows)
