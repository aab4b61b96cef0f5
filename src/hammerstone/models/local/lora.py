"""The adapters of the embedded model: small files of low-rank additions that llama.cpp loads with
the model and puts on for a prompt.

Those that come with the package are used with the embedded model unless a person says otherwise;
made by the scripts in `training/`. Each is put on for the purposes that it was trained and measured
for; everything else is written by the bare model. A person's own is used for everything, unless it
names its purposes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from hammerstone.core.errors import ModelMissing

OFF = "off"
SOLUTIONS = frozenset({"solution", "solution repair"})
READING = frozenset({"documents"})
# What comes with the package, and the prompts' purposes that it is put on for.
SHIPPED: Mapping[str, frozenset[str]] = {"adapter.gguf": SOLUTIONS, "reader.gguf": READING}
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


def chosen_adapters(
    own: LoraAdapter | None, *, off: bool = False, own_model: bool = False
) -> tuple[LoraAdapter, ...]:
    """A person's own adapter first, then the package's for the purposes that it leaves.

    The package's belong to the embedded model and are not put on a person's own file.
    """
    if off:
        return ()
    chosen = [] if own is None else [own]
    if not own_model and (own is None or own.purposes is not None):
        taken = own.purposes if own is not None and own.purposes is not None else frozenset[str]()
        chosen += [one for one in shipped_adapters() if one.purposes and not one.purposes & taken]
    return tuple(chosen)


def shipped_adapters() -> tuple[LoraAdapter, ...]:
    """Those that come with the package; the first writes solutions."""
    folder = Path(str(resources.files("hammerstone.models.local")))
    every = (LoraAdapter(folder / name, purposes) for name, purposes in SHIPPED.items())
    return tuple(one for one in every if one.path.is_file())


def scales(adapters: Sequence[LoraAdapter], purpose: str) -> list[float]:
    """How much of each adapter is put on for a purpose: one of them, or none."""
    writer = next((one for one in adapters if one.writes(purpose)), None)
    return [1.0 if one is writer else 0.0 for one in adapters]


def writers_name(adapters: Sequence[LoraAdapter]) -> str:
    """The name of what writes solutions, which is the model's own name elsewhere: who only reads
    documents changes nothing that a calibration or a cache of code is about."""
    writer = next((one for one in adapters if one.purposes != READING), None)
    return f"+{writer.name}" if writer else ""
