"""Folders and zips that try to get out, to link away, or to fill the disk."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.library.skills.bundle import read_bundle, safe_path
from hammerstone.library.skills.skill import SkillPolicy
from tests.unit.library.skills.conftest import skill_text, write_skill

POLICY = SkillPolicy()
SMALL = SkillPolicy(max_file_bytes=1000, max_total_bytes=2500, max_files=5)


def zipped(path: Path, files: dict[str, bytes], kind: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (kind | 0o644) << 16 if kind else 0
            archive.writestr(entry, content)
    return path


def test_a_folder_its_file_and_its_zip_are_the_same(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "count", scripts__main___py="print(1)", assets__x___bin=b"\xff")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    read = read_bundle(folder, POLICY)
    assert read.folder == "count"
    assert set(read.files) == {"SKILL.md", "scripts/main.py", "assets/x.bin"}
    assert read_bundle(folder / "SKILL.md", POLICY).files == read.files
    inside = zipped(tmp_path / "a.zip", {f"count/{p}": c for p, c in read.files.items()})
    assert read_bundle(inside, POLICY).files == read.files
    assert read_bundle(inside, POLICY).folder == "count"
    flat = zipped(tmp_path / "b.zip", read.files)
    assert read_bundle(flat, POLICY).files == read.files
    assert read_bundle(flat, POLICY).folder is None


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "/etc/passwd", "..", "a\\b", "C:x", "a\x00b", "a\nb", "a\u202eb", "",
     "x" * 201, "/".join("abcdefghij")],
)  # fmt: skip
def test_paths_that_are_not_allowed(path: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        safe_path(path)
    if path and "\x00" not in path:
        archive = zipped(tmp_path / "x.zip", {"s/SKILL.md": b"", path: b"x"})
        with pytest.raises(BadRequest):
            read_bundle(archive, POLICY)
    assert not (tmp_path.parent / "x").exists()


def test_links_are_refused(tmp_path: Path) -> None:
    for name, target in (("file", "/etc/passwd"), ("folder", "/etc")):
        folder = write_skill(tmp_path / name)
        (folder / "references").mkdir()
        (folder / "references" / "x").symlink_to(target)
        with pytest.raises(BadRequest, match="is a link"):
            read_bundle(folder, POLICY)
    archive = zipped(tmp_path / "l.zip", {"SKILL.md": b"/etc/passwd"}, stat.S_IFLNK)
    with pytest.raises(BadRequest, match="link"):
        read_bundle(archive, POLICY)


def test_special_files_are_refused_without_waiting(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "a")
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadRequest, match="ordinary"):
        read_bundle(folder, POLICY)


def test_sizes_and_numbers_are_capped(tmp_path: Path) -> None:
    large = write_skill(tmp_path / "large", big___md="x" * 1001)
    with pytest.raises(BadRequest, match="larger than 1,000"):
        read_bundle(large, SMALL)
    total = write_skill(tmp_path / "total", a="x" * 900, b="x" * 900, c="x" * 900)
    with pytest.raises(BadRequest, match="larger than 2,500"):
        read_bundle(total, SMALL)
    many = write_skill(tmp_path / "many", **{f"f{n}": "" for n in range(6)})
    with pytest.raises(BadRequest, match="more than 5 files"):
        read_bundle(many, SMALL)


def test_a_zip_bomb_is_noticed_early(tmp_path: Path) -> None:
    bomb = zipped(
        tmp_path / "bomb.zip", {"SKILL.md": skill_text("a").encode(), "b": b"0" * (50 << 20)}
    )
    assert bomb.stat().st_size < 200_000
    with pytest.raises(BadRequest):
        read_bundle(bomb, POLICY)
    dense = zipped(
        tmp_path / "dense.zip", {"SKILL.md": skill_text("a").encode(), "b": b"0" * 1_900_000}
    )
    with pytest.raises(BadRequest, match="far more"):
        read_bundle(dense, POLICY)


def test_a_zip_that_lies_about_sizes(tmp_path: Path) -> None:
    path = zipped(tmp_path / "lie.zip", {"SKILL.md": os.urandom(400_000).hex().encode()})
    data = bytearray(path.read_bytes())
    real = (800_000).to_bytes(4, "little")
    assert data.count(real) == 2
    path.write_bytes(bytes(data).replace(real, (100).to_bytes(4, "little")))
    with pytest.raises(BadRequest):
        read_bundle(path, POLICY)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half", b"no zip", b"\x00" * 100])
def test_broken_archives(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(BadRequest):
        read_bundle(path, POLICY)


def test_the_same_name_twice(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with pytest.warns(UserWarning), zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("SKILL.md", "a")
        archive.writestr("SKILL.md", "b")
    (tmp_path / "x.zip").write_bytes(stream.getvalue())
    with pytest.raises(BadRequest, match="two files"):
        read_bundle(tmp_path / "x.zip", POLICY)
    other = zipped(tmp_path / "y.zip", {"SKILL.md": b"a", "skill.md": b"b"})
    with pytest.raises(BadRequest, match="two files"):
        read_bundle(other, POLICY)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_bundle(tmp_path / "no", POLICY)


def test_the_largest_that_is_taken(tmp_path: Path) -> None:
    files = {"SKILL.md": b"x" * 500, "a": b"x" * 1000, "b": b"x" * 1000, "c": b"", "d": b""}
    folder = write_skill(tmp_path / "s", "x" * 500, a="x" * 1000, b="x" * 1000, c="", d="")
    assert read_bundle(folder, SMALL).files == files
    archive = zipped(tmp_path / "s.zip", files)
    assert read_bundle(archive, SMALL).files == files
    for name, more in (("one-more", {"e": b""}), ("larger", {"d": b"x"})):
        too_much = zipped(tmp_path / f"{name}.zip", {**files, **more})
        with pytest.raises(BadRequest, match=r"more than 5 files|larger than 2,500"):
            read_bundle(too_much, SMALL)
    large = zipped(tmp_path / "large.zip", {"SKILL.md": b"x" * 1001})
    with pytest.raises(BadRequest, match=r"SKILL\.md is larger than 1,000 bytes"):
        read_bundle(large, SMALL)


def test_an_archive_of_very_many_files_is_not_looked_through(tmp_path: Path) -> None:
    litter = {f"__MACOSX/{n}": b"" for n in range(19)}
    allowed = zipped(tmp_path / "a.zip", {"SKILL.md": b"x", **litter})
    assert read_bundle(allowed, SMALL).files == {"SKILL.md": b"x"}
    more = zipped(tmp_path / "b.zip", {"SKILL.md": b"x", "y": b"", **litter})
    with pytest.raises(BadRequest, match="the archive has more than 5 files"):
        read_bundle(more, SMALL)


@pytest.mark.parametrize(
    ("names", "folder", "inside"),
    [
        (["s/SKILL.md", "s/a"], "s", ["SKILL.md", "a"]),
        (["SKILL.md", "s/a"], None, ["SKILL.md", "s/a"]),
        (["s/SKILL.md", "t/a"], None, ["s/SKILL.md", "t/a"]),
        (["s/SKILL.md", "a"], None, ["s/SKILL.md", "a"]),
        (["s/t/SKILL.md"], "s", ["t/SKILL.md"]),
        (["s/s/a", "s/SKILL.md"], "s", ["s/a", "SKILL.md"]),
    ],
)
def test_the_one_folder_that_everything_lies_in(
    names: list[str], folder: str | None, inside: list[str], tmp_path: Path
) -> None:
    archive = zipped(tmp_path / "x.zip", dict.fromkeys(names, b"x"))
    read = read_bundle(archive, POLICY)
    assert (read.folder, list(read.files), read.source) == (folder, inside, "zip")


def test_litter_is_left_behind(tmp_path: Path) -> None:
    folder = write_skill(
        tmp_path / "s", a___pyc=b"x", node_modules__x="x", sub__a="1", sub____DS_Store=b"x"
    )
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    (folder / "sub" / ".DS_Store").write_text("x")
    read = read_bundle(folder, POLICY)
    assert {name for name in read.files if not name.endswith("DS_Store")} == {"SKILL.md", "sub/a"}
    assert (read.folder, read.source) == ("s", "folder")
    archive = zipped(tmp_path / "s.zip", {"SKILL.md": b"x", "__pycache__/x": b"", ".git/y": b""})
    assert list(read_bundle(archive, POLICY).files) == ["SKILL.md"]


@pytest.mark.parametrize(
    "path",
    ["a", "x" * 200, "/".join("abcdefgh"), "a.b/c d.txt", "ä/ö", "a..b", ".hidden"],
)
def test_paths_that_are_allowed(path: str) -> None:
    assert safe_path(path) == path
    assert safe_path(f"./{path}"[:200]) in (path, path[:198])


def test_what_is_packed_tightly_but_small_is_taken(tmp_path: Path) -> None:
    small = zipped(tmp_path / "x.zip", {"SKILL.md": b"0" * (1 << 16)})
    assert len(read_bundle(small, POLICY).files["SKILL.md"]) == 1 << 16


def test_special_entries_of_an_archive_are_refused(tmp_path: Path) -> None:
    pipe = zipped(tmp_path / "p.zip", {"SKILL.md": b"x"}, stat.S_IFIFO)
    with pytest.raises(BadRequest, match=r"SKILL\.md is not an ordinary file"):
        read_bundle(pipe, POLICY)
    plain = zipped(tmp_path / "q.zip", {"SKILL.md": b"x"}, stat.S_IFREG)
    assert read_bundle(plain, POLICY).files == {"SKILL.md": b"x"}


def test_what_is_there_but_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(BadRequest, match=r"a\.txt is neither a folder nor a zip"):
        read_bundle(tmp_path / "a.txt", POLICY)
    with pytest.raises(NotFound, match="does not exist"):
        read_bundle(tmp_path / "SKILL.md", POLICY)
