"""A request that varies the last call: which argument is meant, and when it is not clear."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Tool
from hammerstone.run.understand.follow_ups import FollowUp, FollowUps
from hammerstone.storage import Execution
from tests.unit.run.made_runs import NOW, make_run, make_tool

NUMBER: JsonObject = {"type": "number"}
VAT = make_tool("vat", parameters={"amount": NUMBER, "rate_percent": NUMBER})
BEFORE: JsonObject = {"amount": 200, "rate_percent": 19}


def execution(arguments: Any, *, ok: bool = True, tool: str = "vat") -> Execution:
    return Execution("e", "run0", "s1", 1, tool, "v", arguments, 38, ok, NOW)


class Session:
    """The last call, the request behind it, and the library."""

    def __init__(
        self, last: Execution | None, said: str = "What is 19% of 200?", tool: Tool | None = VAT
    ) -> None:
        self._last, self._said, self._tool = last, said, tool
        self.executions = self.runs = self

    async def list(
        self, *, session_id: str, limit: int, asked_by: datetime | None
    ) -> list[Execution]:
        assert (session_id, limit, asked_by) == ("s1", 1, None)
        return [self._last] if self._last else []

    async def find(self, name: str) -> Any:
        if name == "run0":
            return SimpleNamespace(request=self._said) if self._said else None
        return self._tool

    async def follow(self, text: str, files: tuple[Path, ...] = ()) -> FollowUp | None:
        me = cast(Any, self)
        return await FollowUps(me, me).follow_up(make_run(text, files=files))


async def follow(
    text: str, before: JsonObject = BEFORE, tool: Tool = VAT, said: str = "What is 19% of 200?"
) -> FollowUp:
    found = await Session(execution(before, tool=tool.name), said, tool).follow(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "session",
    [
        Session(None),
        Session(execution(BEFORE, ok=False)),
        Session(execution([1])),
        Session(execution(BEFORE), tool=None),
    ],
)
async def test_nothing_to_vary(session: Session) -> None:
    assert await session.follow("what about 25%?") is None


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("what about 25%?", {"amount": 200, "rate_percent": 25}),
        ("and for 300?", {"amount": 300, "rate_percent": 19}),
        ("no, 300 instead of 200", {"amount": 300, "rate_percent": 19}),
        ("7 rather than 19", {"amount": 200, "rate_percent": 7}),
        ("what about an amount of 50?", {"amount": 50, "rate_percent": 19}),
        ("and 300 at 7%?", {"amount": 300, "rate_percent": 7}),
    ],
)
async def test_the_value_that_is_meant(text: str, known: JsonObject) -> None:
    found = await follow(text)
    assert found.tool is VAT
    assert found.known == known
    assert (found.text, found.data) == ("", {})


async def test_a_place_that_is_not_clear_is_left_to_a_model() -> None:
    tool = make_tool("add", parameters={"a": NUMBER, "b": NUMBER})
    found = await follow("what about 5?", {"a": 1, "b": 2}, tool, "add 1 and 2")
    assert (found.tool, found.known) == (tool, {})
    assert found.text == "add 1 and 2\n(Changed now: what about 5?)"


async def test_more_values_than_places_are_not_clear() -> None:
    tool = make_tool("double")
    found = await follow("what about 5 and 6?", {"n": 1}, tool, "double 1")
    assert found.known == {}
    assert found.text.startswith("double 1\n")


@pytest.mark.parametrize("text", ["what about the median?", "and now sort [3, 1]", "again"])
async def test_other_words_keep_only_the_data(text: str) -> None:
    before: JsonObject = {"xs": [1, 2], "n": 3, "t": "abc", "o": {"a": 1}}
    tool = make_tool("mean", parameters={"xs": {"type": "array"}})
    found = await follow(text, before, tool, "mean of [1, 2]")
    assert found.tool is None
    assert found.data == {"xs": [1, 2], "t": "abc", "o": {"a": 1}}


@pytest.mark.parametrize(
    ("before", "text", "known"),
    [
        ({"xs": [1, 2]}, "what about [3, 4]?", {"xs": [3, 4]}),
        ({"n": 5}, "what about 7?", {"n": 7}),
        ({"t": "abc"}, "what about 'xyz'?", {"t": "xyz"}),
        ({"t": "abc", "n": 5}, "what about 7?", {"t": "abc", "n": 7}),
        ({"xs": [1, 2], "n": 5}, "what about [9]?", {"xs": [9], "n": 5}),
    ],
)
async def test_a_value_takes_the_place_of_one_of_its_kind(
    before: JsonObject, text: str, known: JsonObject
) -> None:
    kinds = {"xs": "array", "n": "number", "t": "string"}
    tool = make_tool("f", parameters={name: {"type": kinds[name]} for name in before})
    found = await follow(text, before, tool, "f of it")
    assert found.known == known


async def test_a_whole_number_stays_one() -> None:
    tool = make_tool("f", parameters={"n": {"type": "integer"}})
    found = await follow("what about 2.5?", {"n": 5}, tool, "f 5")
    assert found.known == {}
    assert (await follow("what about 2?", {"n": 5}, tool, "f 5")).known == {"n": 2}


async def test_a_file_given_now_takes_the_place_of_the_file_before(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("1")
    tool = make_tool("rows", parameters={"path": {"type": "string"}, "t": {"type": "string"}})
    before: JsonObject = {"path": "/files/old.csv", "t": "abc"}
    session = Session(execution(before, tool="rows"), "count rows", tool)
    found = await session.follow("now with this file", (path,))
    assert found is not None
    assert found.known == {"path": "/files/new.csv", "t": "abc"}


async def test_a_request_that_is_gone_counts_as_empty() -> None:
    session = Session(execution(BEFORE), said="")
    found = await session.follow("what about 25% and 26%?")
    assert found is not None
    assert found.text in ("", "\n(Changed now: what about 25% and 26%?)")
    assert replace(found, text="").tool in (VAT, None)
