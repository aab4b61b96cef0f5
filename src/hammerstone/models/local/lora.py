"""The adapter of the embedded model: a small file of low-rank additions that llama.cpp applies
when it loads the model.

One that comes with the package is used with the embedded model unless a person says otherwise;
made by the scripts in `training/`. It writes solutions, which is what it was trained and measured
for; everything else is written by the bare model. A person's own is used for everything.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from hammerstone.core.errors import ModelMissing

OFF = "off"
SOLUTIONS = frozenset({"solution", "solution repair"})
SHIPPED = "adapter.gguf"
_MAGIC = b"GGUF"


@dataclass(frozen=True, slots=True)
class LoraAdapter:
    """An adapter's file; its name holds the hash, since other numbers are another model."""

    path: Path
    purposes: frozenset[str] | None = None  # of prompts; none: all

    def writes(self, purpose: str) -> bool:
        """Whether it is put on for prompts of this purpose."""
        return self.purposes is None or purpose in self.purposes

    @property
    def sha256(self) -> str:
        return _sha256(self.path, self.path.stat().st_mtime_ns)

    @property
    def name(self) -> str:
        """The file's name and the beginning of its hash, such as `adapter-1f0c2d3e`."""
        try:
            return f"{self.path.stem.lower()}-{self.sha256[:8]}"
        except OSError:
            return f"{self.path.stem.lower()}-missing"

    def check_present(self) -> None:
        """Raises `ModelMissing` where there is no file, or one that is no adapter."""
        try:
            with self.path.open("rb") as file:
                known = file.read(len(_MAGIC)) == _MAGIC
        except OSError as error:
            raise self._missing(f"is not here: {error.strerror}") from None
        if not known:
            raise self._missing("is not a GGUF file")

    def _missing(self, what: str) -> ModelMissing:
        return ModelMissing(
            f"the adapter {self.path} {what}",
            hint=f"set HAMMERSTONE_ADAPTER to a GGUF adapter, or to {OFF}",
            path=str(self.path),
        )


@cache
def _sha256(path: Path, _changed_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def chosen_adapter(setting: str, *, own_model: bool) -> LoraAdapter | None:
    """The adapter that a setting means: a path, none for `off`, else the package's own.

    The package's own belongs to the embedded model and is not put on a person's own file.
    """
    if setting.strip().lower() == OFF:
        return None
    if setting.strip():
        return LoraAdapter(Path(setting.strip()).expanduser())
    shipped = Path(str(resources.files("hammerstone.models.local"))) / SHIPPED
    return LoraAdapter(shipped, SOLUTIONS) if shipped.is_file() and not own_model else None
