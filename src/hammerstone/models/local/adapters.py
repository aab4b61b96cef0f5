"""Adapters of the embedded model that are kept here: GGUF LoRA files, one of them in use; and what
such a file says about itself, read without loading anything."""

import json
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.models.local.lora import OFF, LoraAdapter

SHIPPED_ADAPTER: Final = "shipped"
FOLDER: Final = "adapters"
_ACTIVE: Final = "active"
_KEPT: Final = (SHIPPED_ADAPTER, OFF)

_MAGIC = b"GGUF"
_TEXT = 8
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_MOST, _LONGEST = 200, 1 << 20  # values that are looked at, bytes of one


@dataclass(frozen=True, slots=True)
class KeptAdapter:
    """An adapter's file with what is known of it."""

    name: str
    path: Path
    purposes: tuple[str, ...] = ()  # of prompts it is put on for; none: all
    made_by: str = ""

    def lora(self) -> LoraAdapter:
        return LoraAdapter(self.path, frozenset(self.purposes) if self.purposes else None)

    def to_json(self) -> JsonObject:
        return {"purposes": list(self.purposes), "made_by": self.made_by}


class AdapterShelf:
    """The folder with the adapters. `active` names one of them, `shipped`, or `off`."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER

    def list(self) -> list[KeptAdapter]:
        return [adapter_at(path) for path in sorted(self._folder.glob("*.gguf"))]

    def get(self, name: str) -> KeptAdapter:
        """Raises `NotFound`."""
        path = self._folder / f"{name}.gguf"
        if not name or Path(name).name != name or not path.is_file():
            hint = "hammerstone model adapters list"
            raise NotFound(f"there is no adapter {name!r}", hint=hint)
        return adapter_at(path)

    def add(
        self, source: Path, name: str, *, purposes: tuple[str, ...] = (), made_by: str = ""
    ) -> KeptAdapter:
        """A checked copy of an adapter's file; it is not in use by that.

        Raises `BadRequest` for a file that is no adapter, and for a name that is taken.
        """
        check_adapter(source)
        if not name.replace("-", "").replace("_", "").isalnum() or name in _KEPT:
            raise BadRequest("an adapter's name holds letters, digits, - and _ only")
        target = self._folder / f"{name}.gguf"
        if target.exists():
            raise BadRequest(f"there is an adapter {name!r} already")
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = target.with_suffix(".draft")
        try:
            shutil.copyfile(source, draft)
            made = note_adapter(target, purposes=purposes, made_by=made_by)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        return made

    def remove(self, name: str) -> None:
        """Take a file away; raises `BadRequest` for the one in use."""
        kept = self.get(name)
        if self.active() == name:
            hint = f"hammerstone model adapters activate {SHIPPED_ADAPTER}"
            raise BadRequest(f"the adapter {name} is in use", hint=hint)
        kept.path.unlink()
        kept.path.with_suffix(".json").unlink(missing_ok=True)

    def active(self) -> str:
        """The name of what is in use."""
        try:
            return (self._folder / _ACTIVE).read_text("utf-8").strip() or SHIPPED_ADAPTER
        except OSError:
            return SHIPPED_ADAPTER

    def activate(self, name: str) -> str:
        """Put an adapter in use from the next start of the model; what was before.

        Raises `NotFound`, and `BadRequest` for a file that is damaged.
        """
        if name not in _KEPT:
            check_adapter(self.get(name).path)
        before = self.active()
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._folder / f"{_ACTIVE}.draft"
        draft.write_text(name, "utf-8")
        draft.replace(self._folder / _ACTIVE)
        return before


def adapter_at(path: Path) -> KeptAdapter:
    """An adapter's file with what the file beside it says about it, if there is one."""
    known: dict[str, Any] = {}
    try:
        known = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        known = {}
    purposes = tuple(str(one) for one in known.get("purposes", ()))
    return KeptAdapter(path.stem, path, purposes, str(known.get("made_by", "")))


def note_adapter(path: Path, *, purposes: tuple[str, ...], made_by: str) -> KeptAdapter:
    """Write beside an adapter's file what it is put on for, and who made it."""
    made = KeptAdapter(path.stem, path, purposes, made_by)
    path.with_suffix(".json").write_text(json.dumps(made.to_json()), "utf-8")
    return made


def check_adapter(path: Path) -> None:
    """Raise `BadRequest` unless a file says that it is an adapter."""
    head = read_head(path)
    if head.get("general.type") != "adapter":
        raise BadRequest(
            f"{path.name} is no adapter: it says {head.get('general.type', 'nothing')}"
        )


def read_head(path: Path) -> dict[str, str]:
    """The texts among a file's first values, such as `general.type`.

    Raises `BadRequest` for what is no GGUF file or is cut off.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise BadRequest(f"{path.name} is not a GGUF file")
            _version, _tensors, count = struct.unpack("<IQQ", _taken(file, 20))
            return _texts(file, min(count, _MOST))
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from None
    except (struct.error, EOFError):
        raise BadRequest(f"{path.name} is cut off") from None


def _texts(file: BinaryIO, count: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(count):
        key = _text(file)
        (kind,) = struct.unpack("<I", _taken(file, 4))
        if kind == _TEXT:
            found[key] = _text(file)
        elif kind in _SIZES:
            _taken(file, _SIZES[kind])
        else:
            break  # lists are words and their like, which come last
    return found


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _taken(file, 8))
    if length > _LONGEST:
        raise EOFError
    return _taken(file, length).decode("utf-8", "replace")


def _taken(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise EOFError
    return data
