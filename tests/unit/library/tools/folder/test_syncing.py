"""The library and a folder in step: which side is newer, what is refused, what is never touched."""

from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Case, Spec, Status
from hammerstone.library.tools.folder import FolderSync
from hammerstone.library.tools.folder.syncing import SyncAction, SyncReport
from hammerstone.library.tools.new_versions import VerificationResult
from hammerstone.library.tools.sharing import Sharing, with_people
from tests.unit.library.tools.conftest import DOUBLE, Library, new_version, value_case

SUM = "def double(n):\n    return n + n\n"


class Proof:
    """Accepts what does not say WRONG; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Spec, str, tuple[Case, ...]]] = []

    async def verify(self, spec: Spec, code: str, suite: tuple[Case, ...]) -> VerificationResult:
        self.asked.append((spec, code, suite))
        if "WRONG" in code:
            return VerificationResult(None, ("double(2) must be 4",))
        evidence = {"cases": len(suite), "mutation_score": 1.0, "seconds": 3}
        return VerificationResult(Status.VERIFIED, ("one case less",), suite, (), {**evidence})


class Sync:
    def __init__(self, library: Library, folder: Path) -> None:
        self.library, self.folder, self.proof = library, folder, Proof()
        sharing = Sharing(library.db, "local")
        self.sync = FolderSync(library.registry, self.proof, sharing, who="ada")

    async def run(self, *, dry_run: bool = False) -> dict[str, tuple[str, ...]]:
        return told(await self.sync.sync(self.folder, dry_run=dry_run))

    async def export(self, *names: str) -> dict[str, tuple[str, ...]]:
        return told(await self.sync.export(self.folder, names or None))

    @property
    def code(self) -> Path:
        return self.folder / "double" / "tool.py"


def told(report: SyncReport) -> dict[str, tuple[str, ...]]:
    return {entry.name: (str(entry.action), *entry.details) for entry in report.entries}


@pytest.fixture
def sync(library: Library, tmp_path: Path) -> Sync:
    return Sync(library, tmp_path / "tools")


async def test_written_then_unchanged(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    assert await sync.run(dry_run=True) == {"double": ("written",)}
    assert not sync.code.exists()
    assert await sync.run() == {"double": ("written", "version 1")}
    assert sync.code.read_text() == DOUBLE
    assert sorted(path.name for path in (sync.folder / "double").iterdir()) == [
        "test_double.py", "tool.py", "tool.toml",
    ]  # fmt: skip
    assert await sync.run() == {"double": ("unchanged",)}
    assert await sync.export() == {"double": ("unchanged",)}
    assert sync.proof.asked == []


async def test_a_change_in_the_folder_becomes_a_version(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    await sync.run()
    sync.code.write_text(SUM)
    assert await sync.run(dry_run=True) == {
        "double": ("new version", "once it is proved", "its folder says: origin test")
    }
    assert sync.proof.asked == []
    assert await sync.run() == {
        "double": (
            "new version", "version 2, verified", "its folder says: origin test", "one case less",
        )
    }  # fmt: skip
    tool = await library.registry.get("double")
    assert (tool.version.number, tool.version.code, tool.confidence) == (2, SUM, None)
    first, _ = await library.registry.versions("double")
    assert tool.version.provenance["edited_from"] == first.id
    assert tool.version.provenance["who"] == "ada"
    (_, _, suite) = sync.proof.asked[0]
    assert [case.origin for case in suite] == ["author 1", "author 1"]  # as they were
    assert await sync.run() == {"double": ("unchanged",)}  # the folder knows its version


async def test_a_new_case_is_a_persons(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    await sync.run()
    tests = sync.folder / "double" / "test_double.py"
    tests.write_text(tests.read_text() + "\n\ndef test_more():\n    assert double(7) == 14\n")
    assert (await sync.run())["double"][0] == "new version"
    (_, _, suite) = sync.proof.asked[0]
    assert [(case.call.source, case.origin) for case in suite] == [
        ("double(2)", "author 1"), ("double(5)", "author 1"), ("double(7)", "user"),
    ]  # fmt: skip


async def test_what_is_not_proved_is_refused_and_stays(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    await sync.run()
    sync.code.write_text(SUM + "# WRONG\n")
    assert await sync.run() == {"double": ("refused", "double(2) must be 4")}
    assert sync.code.read_text().endswith("WRONG\n")
    assert (await library.registry.get("double")).version.number == 1


async def test_a_newer_version_is_written_out(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    await sync.run()
    await library.add(new_version(code=SUM))
    assert await sync.run(dry_run=True) == {"double": ("written", "version 2")}
    assert sync.code.read_text() == DOUBLE
    assert await sync.run() == {"double": ("written", "version 2")}
    assert sync.code.read_text() == SUM
    await library.add(new_version(code=SUM + "\n\nX = 1\n"))
    assert await sync.export() == {"double": ("written", "version 3")}


async def test_where_both_changed_nothing_is_touched(sync: Sync, library: Library) -> None:
    await library.add(new_version())
    await sync.run()
    await library.add(new_version(code=SUM))
    mine = DOUBLE + "# mine\n"
    sync.code.write_text(mine)
    for found in (await sync.run(), await sync.export()):
        action, first, second = found["double"]
        assert action == "conflict"
        assert first.startswith("both changed since version 1: here version 2 (")
        assert second.startswith("export double somewhere else")
    assert sync.code.read_text() == mine
    about = sync.folder / "double" / "tool.toml"
    about.write_text(about.read_text().replace('version = "', 'version = "x'))
    action, why = (await sync.run())["double"]
    assert (action, why.partition(";")[0]) == (
        "conflict", "the folder was not written from a version of this library",
    )  # fmt: skip


async def test_a_folder_of_its_own_becomes_a_tool(
    sync: Sync, library: Library, tmp_path: Path
) -> None:
    await library.add(new_version())
    await sync.run()
    other = sync.folder / "triple"
    (sync.folder / "double").rename(other)
    for file in other.iterdir():
        text = file.read_text().replace("double", "triple")
        (other / file.name.replace("double", "triple")).write_text(text)
    (other / "test_double.py").unlink()
    found = await sync.run()
    assert found["triple"][:2] == ("new tool", "version 1, verified")
    assert found["double"] == ("written", "version 1")
    tool = await library.registry.get("triple")
    assert tool.version.provenance["origin"] == "folder"
    assert "edited_from" not in tool.version.provenance


async def test_what_others_do_not_see_still_counts(sync: Sync, library: Library) -> None:
    people = with_people({"request": "x", "user": "bob", "open_cases": [0]}, ["bob"])
    suite = (value_case("double(2)", 4), value_case("double(111)", 222))
    await library.add(new_version(suite=suite, provenance=people))
    await sync.run()
    assert "111" not in (sync.folder / "double" / "test_double.py").read_text()
    sync.code.write_text(SUM)
    await sync.run()
    (_, _, asked) = sync.proof.asked[0]
    assert "double(111)" in [case.call.source for case in asked]


async def test_only_what_is_in_use_is_written_unless_it_is_named(
    sync: Sync, library: Library
) -> None:
    await library.add(new_version())
    await library.add(new_version("triple", "def triple(n):\n    return 3 * n\n", suite=()))
    await library.registry.retire("double", who="ada", reason="x")
    assert list(await sync.export()) == ["triple"]
    assert list(await sync.run()) == ["triple"]
    assert list(await sync.export("double")) == ["double"]
    with pytest.raises(NotFound, match="there is no tool 'nothing'"):
        await sync.export("nothing", "triple")


async def test_what_is_in_the_way_is_told(sync: Sync, library: Library, tmp_path: Path) -> None:
    await library.add(new_version())
    sync.folder.mkdir()
    (sync.folder / "double").write_text("a file")
    assert await sync.export() == {
        "double": ("broken", "there is already something else with this name")
    }
    (sync.folder / "double").unlink()
    (sync.folder / "double").mkdir()
    assert await sync.export() == {"double": ("written", "version 1")}  # an empty one is fine
    sync.code.unlink()
    assert await sync.export() == {"double": ("broken", "tool.py: it is missing")}
    assert await sync.run() == {"double": ("broken", "tool.py: it is missing")}
    for name in (".hidden", "_private"):
        (sync.folder / name).mkdir()
    (sync.folder / "note.txt").write_text("x")
    (sync.folder / "link").symlink_to(tmp_path)
    found = await sync.run()
    assert sorted(found) == ["double", "link"]
    assert found["link"] == ("broken", "it is a link, and links are not followed")


async def test_a_place_that_is_no_folder_is_refused(sync: Sync, tmp_path: Path) -> None:
    sync.folder.write_text("x")
    with pytest.raises(BadRequest, match="is not a folder"):
        await sync.run()
    linked = tmp_path / "linked"
    (tmp_path / "real").mkdir()
    linked.symlink_to(tmp_path / "real")
    with pytest.raises(BadRequest, match="is not a folder"):
        await sync.sync.export(linked)
    with pytest.raises(BadRequest):
        await sync.sync.export(sync.folder / "below")


@pytest.mark.parametrize(
    ("action", "troubled"),
    [(action, action in ("refused", "conflict", "broken")) for action in SyncAction],
)
def test_a_report_says_whether_somebody_has_to_look(action: SyncAction, troubled: bool) -> None:
    report = SyncReport()
    assert not report.troubled
    report.add("a", SyncAction.WRITTEN)
    report.add("b", action, "why")
    assert report.troubled is troubled
    assert report.to_json() == {
        "tools": [
            {"name": "a", "action": "written", "details": []},
            {"name": "b", "action": str(action), "details": ["why"]},
        ]
    }
