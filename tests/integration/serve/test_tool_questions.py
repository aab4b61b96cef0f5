"""Questions about experimental tools over HTTP and on the command line."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import BadRequest
from hammerstone.serve.cli.main import app as commands
from hammerstone.serve.cli.requests import questions as door
from hammerstone.serve.cli.requests.chat.chat import ChatSession
from tests.integration.asked_tools import (
    REQUEST,
    add_asked,
    add_double,
    agreeing,
    kept_question,
)
from tests.integration.engine import Script, scripted_engine
from tests.integration.serve.sharing import shared

BELIEF = {"belief": [0.6, 0.3], "values": "[4, 3.5]"}


def prepare(folder: Path, work: Callable[[Hammerstone], Awaitable[Any]]) -> None:
    async def once() -> None:
        async with scripted_engine(Script(), folder) as hs:
            await work(hs)

    asyncio.run(once())


def test_people_are_asked_over_http_and_what_they_say_counts(tmp_path: Path) -> None:
    prepare(tmp_path, lambda hs: add_asked(hs, kept_question(**BELIEF)))
    with shared(tmp_path, agreeing()) as app:
        for name, role in (("mia", "member"), ("ben", "member"), ("gus", "guest")):
            app.add(name, role)
        (listed,) = app.get("mia", "/api/questions").json()
        assert listed["text"] == "What should `round_up(3.41)` give?"
        assert listed["choices"] == ["4", "3.5"]
        assert app.get("gus", "/api/questions").json() == []
        assert app.post("gus", "/api/questions").json() == {"question": None}
        place = "/api/questions/round_up"
        assert app.post("gus", place, {"choice": 1}).status_code == 403
        for name in ("mia", "ben"):
            assert app.post(name, "/api/questions").json()["question"] == listed
            assert app.post(name, "/api/questions").json() == {"question": None}
        for body in ({}, {"choice": 3}, {"choice": 1, "value": "4"}, {"value": "four"}):
            refused = app.post("mia", place, body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_request")
        assert app.post("mia", "/api/questions/gone", {"choice": 1}).status_code == 404
        later = app.post("mia", place, {"later": "some_day"}).json()
        assert later["effect"] == "put_off"
        done = app.post("mia", place, {"choice": 1}).json()
        assert (done["effect"], done["status"]) == ("verified", "verified")
        assert done["text"].startswith("round_up is verified now")
        other = app.post("ben", place, {"choice": 2}).json()
        assert (other["effect"], other["status"]) == ("contradicted", "experimental")
        audit = app.get("local", "/api/people/audit").json()
        said = [(one["who"], one["outcome"]) for one in audit if "should give" in one["what"]]
        assert ("mia", "done") in said and ("gus", "refused") in said


@pytest.fixture
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    return tmp_path


def test_questions_are_listed_and_put_off_on_the_command_line(own_library: Path) -> None:
    def said(*words: str) -> Any:
        return CliRunner().invoke(commands, ["questions", *words])

    assert json.loads(said("--json").stdout) == []
    prepare(own_library, lambda hs: add_asked(hs, kept_question()))
    listed = said().stdout
    assert "What should `round_up(3.41)` give?" in listed
    assert "1) 4" in listed and "2) 3.5" in listed
    assert "hammerstone questions answer round_up" in listed
    assert json.loads(said("--json").stdout)[0]["tool"] == "round_up"
    for words in ((), ("1", "--never"), ("--later", "--never"), ("four",), ("--value", "x")):
        assert isinstance(said("answer", "round_up", *words).exception, BadRequest), words
    assert "It can wait" in said("answer", "round_up", "--later").stdout
    never = json.loads(said("answer", "round_up", "--never", "--json").stdout)
    assert never["effect"] == "dropped"


@pytest.mark.parametrize(
    ("typed", "asked", "told"),
    [
        (["1"], [], "round_up is verified now"),
        (["= four", "= 4"], [], "round_up is verified now"),
        (["n"], [], "not be asked this again"),
        ([""], [], ""),
        (["what is 2 + 2?"], ["what is 2 + 2?"], ""),
    ],
)
async def test_a_chat_asks_after_an_answer_and_takes_a_request_for_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: list[str],
    asked: list[str],
    told: str,
) -> None:
    async def line() -> str:
        return typed.pop(0)

    monkeypatch.setattr(door, "_typed", line)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    async with scripted_engine(agreeing(), tmp_path) as hs:
        await add_double(hs)
        await add_asked(hs, kept_question())
        talk = ChatSession("s", quiet=True)
        first, taken = talk.take, list[str]()

        async def take(_: Any, text: str) -> None:
            taken.append(text)

        talk.take = take  # type: ignore[method-assign]
        await first(hs, REQUEST)
        shown = capsys.readouterr()
        asked_words = "A question about round_up, to prove it: What should `round_up(3.41)` give?"
        assert asked_words in shown.err
        assert shown.out == "8\n"
        assert told in shown.err and typed == []
        assert await hs.questions.due() is None
        assert taken == asked
