"""A copy of the package with some files changed: read as text, packed, never loaded here."""

import difflib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "hammerstone"
_KINDS = frozenset({".py", ".json", ".md", ".txt"})
_LEFT_OUT = frozenset({"serve", "evaluation", "__pycache__"})  # doors, and what measures


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """One change of one file: its new text. `title` says what it is meant to do."""

    path: str  # within the package, with slashes
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class SourceCopy:
    """The package's files as texts, with `changed` in the place of some of them."""

    root: Path
    changed: Mapping[str, str] = field(default_factory=dict[str, str])

    def text(self, path: str) -> str | None:
        """A file's text; None where there is none."""
        if path in self.changed:
            return self.changed[path]
        place = self.root / path
        return place.read_text("utf-8") if place.is_file() else None

    def files(self, folder: str) -> list[str]:
        """The files below a folder that could be changed."""
        found = (self.root / folder).rglob("*")
        names = [
            path for path in found if path.suffix in _KINDS and "__pycache__" not in path.parts
        ]
        return sorted(path.relative_to(self.root).as_posix() for path in names)

    def with_edit(self, edit: SourceEdit) -> "SourceCopy":
        return SourceCopy(self.root, {**self.changed, edit.path: edit.text})

    def difference(self) -> str:
        """What the copy changes, as a patch that a person can read and apply."""
        parts: list[str] = []
        for path in sorted(self.changed):
            before = SourceCopy(self.root).text(path) or ""
            lines = difflib.unified_diff(
                before.splitlines(),
                self.changed[path].splitlines(),
                f"a/src/{PACKAGE}/{path}",
                f"b/src/{PACKAGE}/{path}",
                lineterm="",
            )
            parts += lines
        return "\n".join(parts) + "\n" if parts else ""

    def packed(self) -> bytes:
        """The copy as an archive that Python can import from."""
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in sorted(self.root.rglob("*")):
                name = path.relative_to(self.root)
                if path.suffix not in _KINDS or _LEFT_OUT & set(name.parts) or not path.is_file():
                    continue
                text = self.changed.get(name.as_posix())
                data = path.read_bytes() if text is None else text.encode()
                archive.writestr(f"{PACKAGE}/{name.as_posix()}", data)
        return held.getvalue()
