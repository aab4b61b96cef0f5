"""The prompts that are shipped: each can be read, and a text that changes has a new version."""

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from hammerstone import prompts
from hammerstone.prompts import Template, load

FILES = sorted(Path(prompts.__file__).parent.glob("*.md"))

# Version and hash of what is sent. The numbers in the documents were measured with these texts:
# whoever changes one raises its version, measures again where it matters, and puts the hash here.
SENT = {
    "adjudicate": (1, "80a3c09de4e63028"),
    "answer_plain": (1, "4181a6d93c06ccb2"),
    "arguments": (1, "ef79bf3d574771e5"),
    "arguments_again": (1, "944b3433c78cf767"),
    "arguments_plain": (1, "378a9ea4443f7a3d"),
    "chat": (1, "9f9e900125579f84"),
    "code": (1, "7732e3ae98c01a18"),
    "code_again": (1, "d03594dad065536a"),
    "code_plain": (1, "7878ded9e1ed7397"),
    "connector": (1, "04ea6941cebfe565"),
    "describe": (1, "c0e856f6392afd6e"),
    "describe_skill": (1, "5863b1c5f0244a87"),
    "experiment": (2, "af45f79360dc0308"),
    "explain": (1, "4e53723b14cc1b34"),
    "fix": (2, "bc4c47b88df41d89"),
    "fix_plain": (2, "0c64203a41bf66bc"),
    "foretell": (1, "187ebbcdbfc39469"),
    "judge": (1, "d14743232cff7ed1"),
    "judge_cause": (1, "103aeb59f36a116c"),
    "judge_run": (1, "b7e60046c1d7bcba"),
    "judge_trace": (1, "bbdea6e20e3bfc77"),
    "kind": (1, "12eaa1ae5306b347"),
    "look_up": (1, "206792d4a89c78fa"),
    "read_passages": (2, "27ca9b355ef3cede"),
    "read_passages_plain": (1, "5ffd72085bb26e23"),
    "rephrase": (1, "0dd4f66cfafdee6c"),
    "reword": (1, "140e434eee218c4e"),
    "reword_rules": (2, "d09e9167886f9781"),
    "rewrite": (2, "204e48174441e2d4"),
    "schema": (1, "ac4a31253e2fae2a"),
    "schema_again": (1, "665fb32cd03403be"),
    "skill_input": (1, "dcc3655f464bfd98"),
    "solve": (1, "6b5882de53fb143a"),
    "solve_again": (1, "ea7dfffdba979f89"),
    "summarise": (1, "1d931d5f0b6af889"),
    "tests": (1, "e0a60aa6b8ee73dd"),
}


def _hash(prompt: Template) -> str:
    said = [[section.author, section.part, section.text] for section in prompt.sections]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_prompt_says_what_it_is_given_and_what_it_must_return(path: Path) -> None:
    prompt = load(path.stem)
    assert prompt.version >= 1 and prompt.purpose and prompt.given and prompt.returns
    used = {name for section in prompt.sections for name in section.placeholders}
    assert used == set(prompt.given)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_in_a_prompt_only_looks_like_a_placeholder(path: Path) -> None:
    sent = path.read_text("utf-8").split("\n## ", 1)[1]
    assert len(re.findall(r"\{\{", sent)) == len(re.findall(r"\{\{[a-z_]+\??\}\}", sent))
    assert not re.findall(r"^#{1,6} ?(?:system|user|assistant)\b.*$", _bodies(path), re.I | re.M)


def _bodies(path: Path) -> str:
    return "\n".join(section.text for section in load(path.stem).sections)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messages_are_in_the_order_of_a_conversation(path: Path) -> None:
    prompt = load(path.stem)
    for part in prompt.parts or ("",):
        authors = [m.author for m in prompt.fill(part, **dict.fromkeys(prompt.given, "x"))]
        assert "system" not in authors[1:]
        assert all(one != other for one, other in pairwise(authors))
        assert authors[-1] != "assistant"


def test_a_text_that_changes_has_a_new_version() -> None:
    assert {path.stem: (load(path.stem).version, _hash(load(path.stem))) for path in FILES} == SENT
