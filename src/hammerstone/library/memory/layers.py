"""Memory as Markdown files that people read and edit; what they change counts at once.

memory/PERSON/rules.md      what always holds; pinned, never shortened
              identity.md   who the assistant is; pinned
              user.md       facts and preferences of the person
              memory.md     anything else worth keeping
              log/DATE.md   one a day; today's and yesterday's are read
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from hammerstone.core.clock import Clock
from hammerstone.core.errors import DataDirectoryError
from hammerstone.core.hashing import digest
from hammerstone.guard.data import plain
from hammerstone.library.memory.memory_instructions import Layer
from hammerstone.library.search.text.stems import stems
from hammerstone.tracing.warn import warn

PINNED = (Layer.RULES, Layer.IDENTITY)
PINNED_BYTES = 16_384
FILE_BYTES = 262_144
SAME = 0.75  # of their words: two lines that share this much say the same, or the opposite

_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_SOURCE = re.compile(r"<!--\s*(\d{4}-\d\d-\d\d)(?:, ([^>]*?))?\s*-->\s*$")
_SAFE = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One remembered line. A person's own lines have neither date nor source, and never fade."""

    text: str
    day: date | None = None
    source: str = ""


class Layers:
    """The files of every person, each in a folder of their own."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._read: dict[Path, tuple[tuple[int, int, int], tuple[Line, ...]]] = {}

    def folder_of(self, user: str) -> Path:
        """Where a person's files are; names that no folder can have get one by their hash."""
        plain_name = _SAFE.sub("-", user.lower())[:40]
        usable = plain_name and plain_name == user
        safe = plain_name if usable else f"{plain_name}-{digest(user)[:8]}"
        return self._folder / safe

    def path(self, user: str, layer: Layer) -> Path:
        return self.folder_of(user) / f"{layer}.md"

    def lines(self, user: str, layer: Layer) -> tuple[Line, ...]:
        """The file's lines as they are now; nothing when there is no file.

        Raises `DataDirectoryError` for rules that cannot be read: going on without them could
        do what they forbid.
        """
        return self._lines(self.path(user, layer), pinned=layer in PINNED)

    def text(self, user: str, layer: Layer) -> str:
        """The file as it is, comments included; empty when there is none."""
        try:
            return self.path(user, layer).read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def write(self, user: str, layer: Layer, text: str) -> None:
        """Replace the whole file: what a person edited, taken as it is."""
        path = self.path(user, layer)
        with self._changing(user):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            partial.write_text(text, "utf-8")
            partial.replace(path)

    def log(self, user: str) -> tuple[Line, ...]:
        """The lines of yesterday's and today's log."""
        today = self._clock.now().date()
        days = (today - timedelta(days=1), today)
        folder = self.folder_of(user) / "log"
        return tuple(
            line for day in days for line in self._lines(folder / f"{day}.md", pinned=False)
        )

    def state(self, user: str) -> list[str]:
        """The sizes and times of a person's files, as text; nothing while there are none."""
        found: list[str] = []
        for layer in Layer:
            with suppress(OSError):
                about = self.path(user, layer).stat()
                found.append(f"{layer}:{about.st_size}:{about.st_mtime_ns}")
        return found

    def add(self, user: str, layer: Layer, text: str, source: str) -> tuple[Line, ...]:
        """Keep a line at the file's end; earlier lines about the same go, and are returned."""
        line = Line(_one_line(text), self._clock.now().date(), source)
        with self._changing(user):
            path = self.path(user, layer)
            same = [old for old in self._lines(path, layer in PINNED) if _same(old.text, line.text)]
            if same:
                self._rewrite(path, lambda old: not _same(old.text, line.text))
            self._append(path, line)
        return tuple(same)

    def forget(self, user: str, about: str, layers: Sequence[Layer] = tuple(Layer)) -> list[str]:
        """Remove the lines that say this; what they said."""
        wanted, phrase = set(stems(about)), about.casefold().strip()

        def said(line: Line) -> bool:
            if phrase in line.text.casefold():
                return True
            return bool(wanted) and wanted <= set(stems(line.text))

        gone: list[str] = []
        with self._changing(user):
            for layer in layers:
                path = self.path(user, layer)
                found = [line.text for line in self._lines(path, layer in PINNED) if said(line)]
                if found:
                    self._rewrite(path, lambda line: not said(line))
                    gone += found
        return gone

    def write_log(self, user: str, texts: list[str]) -> None:
        """Add lines to today's log."""
        now = self._clock.now()
        path = self.folder_of(user) / "log" / f"{now.date()}.md"
        with self._changing(user):
            for text in texts:
                self._append(path, Line(f"{now:%H:%M} {_one_line(text)}"))

    def _lines(self, path: Path, pinned: bool) -> tuple[Line, ...]:
        try:
            about = path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            return self._unusable(path, pinned, str(error.strerror))
        seen = (about.st_mtime_ns, about.st_size, about.st_ino)
        known = self._read.get(path)
        if known is not None and known[0] == seen:
            return known[1]
        limit = PINNED_BYTES if pinned else FILE_BYTES
        if about.st_size > limit:
            return self._unusable(path, pinned, f"it has {about.st_size} bytes, more than {limit}")
        try:
            content = path.read_bytes()
            text = content.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return self._unusable(path, pinned, "it is not text")
        if "\x00" in text:
            return self._unusable(path, pinned, "it is not text")
        parsed = tuple(_parsed(text))
        self._read[path] = (seen, parsed)
        return parsed

    def _unusable(self, path: Path, pinned: bool, why: str) -> tuple[Line, ...]:
        if pinned:
            raise DataDirectoryError(
                f"{path} cannot be used: {why}",
                hint="correct or remove the file; rules are never left out silently",
                path=str(path),
            )
        warn("a memory file was left out", path=str(path), why=why)
        return ()

    def _append(self, path: Path, line: Line) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            new = not path.exists()
            with path.open("ab") as file:
                if new:
                    file.write(f"# {path.stem.capitalize()}\n\n".encode())
                elif not _ends_with_newline(path):
                    file.write(b"\n")
                file.write(f"{_written(line)}\n".encode())
        except OSError as error:
            raise DataDirectoryError(
                f"{path} cannot be written: {error.strerror}", hint="check the folder's rights"
            ) from None

    def _rewrite(self, path: Path, stays: Callable[[Line], bool]) -> None:
        """The file without some of its lines; everything else in it stays to the letter."""
        kept: list[str] = []
        for raw in path.read_text("utf-8-sig").splitlines(keepends=True):
            line = next(iter(_parsed(raw)), None)
            if line is None or stays(line):
                kept.append(raw)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            file.write("".join(kept))
        Path(file.name).replace(path)

    @contextmanager
    def _changing(self, user: str) -> Generator[None, None, None]:
        """One writer at a time, whatever process it is in."""
        folder = self.folder_of(user)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (folder / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise DataDirectoryError(
                f"{folder} cannot be written: {error.strerror}", hint="check the folder's rights"
            ) from None


def _parsed(text: str) -> Iterator[Line]:
    for raw in _without_long_comments(text).splitlines():
        source = _SOURCE.search(raw)
        said = plain(_COMMENT.sub("", raw)).strip()
        said = re.sub(r"^[-*+]\s+", "", said).strip()
        if not said or said.startswith("#"):
            continue
        day = _day(source[1]) if source else None
        yield Line(said, day, source[2] or "" if source else "")


def _without_long_comments(text: str) -> str:
    return re.sub(r"<!--(?:(?!-->).)*\n(?:(?!-->)[\s\S])*-->", "", text)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _written(line: Line) -> str:
    about = [str(line.day) if line.day else "", line.source]
    mark = ", ".join(part for part in about if part)
    return f"- {line.text}" + (f" <!-- {mark} -->" if mark else "")


def _one_line(text: str) -> str:
    return " ".join(plain(text).replace("<!--", "").replace("-->", "").split())


def _same(one: str, other: str) -> bool:
    """Whether two lines are about the same: nearly the same words, always and never aside."""
    a, b = _topic(one), _topic(other)
    return bool(a and b) and len(a & b) / len(a | b) >= SAME


def _topic(text: str) -> set[str]:
    if match := re.match(r"(?i)(my [\w ]{2,30}? is|call me|i live in|i prefer)\b", text):
        words = match[1].lower()
        return {"my name is"} if words in ("call me", "my name is") else {words}
    return set(stems(text)) - {"always", "alway", "never", "now", "futur"}


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        if not file.tell():
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
