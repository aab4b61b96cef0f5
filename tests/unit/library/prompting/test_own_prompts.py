"""Prompts in a person's own words."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.library.policies import PROMPT, Policies
from hammerstone.library.prompting.prompt_shelf import (
    CALIBRATED,
    UNMEASURED,
    OwnPrompts,
    check_prompt,
)
from hammerstone.prompts import instructions, shipped_names, shipped_text, with_instructions
from hammerstone.storage import Database


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[OwnPrompts]:
    db = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    yield OwnPrompts(Policies(db))
    await db.close()


def other(name: str) -> str:
    said = instructions(shipped_text(name))
    return with_instructions(shipped_text(name), f"{said}\nSay it in other words.")


def named() -> list[str]:
    return [name for name in shipped_names() if instructions(shipped_text(name))]


@pytest.mark.parametrize("name", shipped_names())
def test_the_shipped_text_may_take_its_own_place(name: str) -> None:
    check_prompt(name, shipped_text(name))


@pytest.mark.parametrize("name", named())
def test_other_words_may_and_other_places_for_values_may_not(name: str) -> None:
    check_prompt(name, other(name))
    with pytest.raises(BadRequest, match="something_else"):
        check_prompt(name, shipped_text(name) + "\n{{something_else}}\n")


@pytest.mark.parametrize("text", ["", "no header", "Version: 1\n"])
def test_what_is_no_prompt_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        check_prompt("solve", text)


async def test_an_unknown_name_is_told(own: OwnPrompts) -> None:
    for ask in (own.text, lambda name: check_prompt(name, "x")):
        with pytest.raises(NotFound, match="there is no prompt 'nothing'"):
            ask("nothing")
    with pytest.raises(NotFound):
        await own.set("nothing", "x", who="ada", why="")
    with pytest.raises(NotFound):
        await own.reset("nothing", who="ada")


async def test_a_text_is_in_force_until_it_is_taken_back(own: OwnPrompts) -> None:
    assert own.text("solve") == shipped_text("solve") and not own.is_own("solve")
    assert await own.set("solve", other("solve"), who="ada", why="clearer") == (
        UNMEASURED,
        CALIBRATED,
    )
    assert own.text("solve") == other("solve") and own.is_own("solve")
    await own.reset("solve", who="ada")
    await own.reset("solve", who="ada")  # once more changes nothing
    assert own.text("solve") == shipped_text("solve") and not own.is_own("solve")
    history = await own.policies.history(PROMPT + "solve")
    assert len(history) == 2


async def test_only_the_calibrated_prompt_says_so(own: OwnPrompts) -> None:
    name = next(each for each in named() if each != "solve")
    assert await own.set(name, other(name), who="ada", why="") == (UNMEASURED,)


async def test_a_wrong_text_leaves_the_old_one(own: OwnPrompts) -> None:
    with pytest.raises(BadRequest):
        await own.set("solve", "nonsense", who="ada", why="")
    assert not own.is_own("solve")
