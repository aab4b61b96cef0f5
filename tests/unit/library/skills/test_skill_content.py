"""A skill with its files, as the ledger keeps it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.json_types import Json
from hammerstone.library.skills.skills import SkillContent, findings_of, read_content
from hammerstone.storage.stores.library.skills import SkillRow

ROW = SkillRow(
    "ada", "brush", "Brush teeth.", "abc", {"name": "brush"}, "# Brush", [], "folder",
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=20), st.binary(max_size=60), max_size=4))
def test_it_is_read_back_as_it_was_written(files: dict[str, bytes]) -> None:
    content = SkillContent(ROW, files)
    written = json.loads(json.dumps(content.to_json()))
    assert written["row"]["at"] == "2026-01-02T03:04:05+00:00"
    assert SkillContent.from_json(written) == content


class Store:
    files_: dict[str, bytes] = {"SKILL.md": b"# Brush", "a/b.txt": b"\x00"}  # noqa: RUF012

    async def files(self, name: str, tenant: str) -> list[str]:
        assert (name, tenant) == ("brush", "ada")
        return list(self.files_)

    async def content(self, name: str, path: str, tenant: str) -> bytes | None:
        assert (name, tenant) == ("brush", "ada")
        return self.files_[path]


async def test_all_its_files_are_read() -> None:
    content = await read_content(cast(Any, Store()), ROW)
    assert content == SkillContent(ROW, Store.files_)


@pytest.mark.parametrize(
    ("findings", "told"),
    [
        ([], []),
        ([{"text": "runs a shell"}, "odd", {"kind": "x"}], ["runs a shell", ""]),
        ([{"text": str(n)} for n in range(9)], ["0", "1", "2", "3", "4"]),
    ],
)
def test_what_a_look_found_is_told_in_words(findings: list[Json], told: list[str]) -> None:
    assert findings_of(SkillContent(replace(ROW, findings=findings), {})) == told
    assert findings_of(None) == []
