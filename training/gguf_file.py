"""GGUF files: metadata and tensors read (F32, F16, Q4_K, Q6_K, Q8_0), and small files written.

The quantised forms are put back into numbers with torch, on whatever device is given.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MAGIC = b"GGUF"
ALIGNMENT = 32
_PLAIN = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q"}
_PLAIN |= {11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
F32, F16, Q8_0, Q4_K, Q6_K = 0, 1, 8, 12, 14
_BLOCKS = {F32: (1, 4), F16: (1, 2), Q8_0: (32, 34), Q4_K: (256, 144), Q6_K: (256, 210)}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies in the file; `shape` has the fastest dimension last, as in torch."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int

    @property
    def stored_bytes(self) -> int:
        count, size = _BLOCKS[self.kind]
        return int(np.prod(self.shape)) // count * size


@dataclass(frozen=True, slots=True)
class RawTensor:
    """A tensor as it is stored, to be written again; `shape` as in `StoredTensor`."""

    shape: tuple[int, ...]
    kind: int
    data: np.ndarray


class GgufFile:
    """A file's metadata by key and its tensors by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = np.memmap(path, dtype=np.uint8, mode="r")
        self._at = 0
        if bytes(self._data[:4]) != MAGIC:
            raise ValueError(f"{path} is no GGUF file")
        self._at = 4
        version = self._read("<I")
        if version < 2:
            raise ValueError(f"{path}: GGUF version {version} is too old")
        tensors, entries = self._read("<Q"), self._read("<Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self._text()
            self.metadata[key] = self._value(self._read("<I"))
        self.tensors = {one.name: one for one in (self._tensor() for _ in range(tensors))}
        self._start = -(-self._at // ALIGNMENT) * ALIGNMENT

    def raw(self, name: str) -> np.ndarray:
        """The stored bytes of a tensor, a copy."""
        one = self.tensors[name]
        first = self._start + one.offset
        return np.array(self._data[first : first + one.stored_bytes])

    def _read(self, form: str) -> Any:
        size = struct.calcsize(form)
        (value,) = struct.unpack(form, self._data[self._at : self._at + size].tobytes())
        self._at += size
        return value

    def _text(self) -> str:
        size = self._read("<Q")
        text = self._data[self._at : self._at + size].tobytes().decode("utf-8", "replace")
        self._at += size
        return text

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._read(_PLAIN[kind])
        inner, count = self._read("<I"), self._read("<Q")
        if inner in (_STRING, _ARRAY):
            return [self._value(inner) for _ in range(count)]
        form = np.dtype(_PLAIN[inner])
        size = form.itemsize * count
        values = self._data[self._at : self._at + size].view(form)
        self._at += size
        return values.tolist()

    def _tensor(self) -> StoredTensor:
        name = self._text()
        shape = tuple(self._read("<Q") for _ in range(self._read("<I")))
        return StoredTensor(name, shape[::-1], self._read("<I"), self._read("<Q"))


def dequantised(file: GgufFile, name: str, device: str = "cpu") -> Any:
    """A tensor as float32 numbers on a device."""
    import torch

    one = file.tensors[name]
    raw = torch.from_numpy(file.raw(name)).to(device)
    if one.kind == F32:
        return raw.view(torch.float32).reshape(one.shape).clone()
    if one.kind == F16:
        return raw.view(torch.float16).float().reshape(one.shape)
    numbers = {Q8_0: _q8_0, Q4_K: _q4_k, Q6_K: _q6_k}[one.kind]
    return numbers(raw.reshape(-1, _BLOCKS[one.kind][1])).reshape(one.shape)


def _half(columns: Any) -> Any:
    import torch

    return columns.contiguous().view(torch.float16).float()


def _q8_0(blocks: Any) -> Any:
    import torch

    return _half(blocks[:, :2]) * blocks[:, 2:].contiguous().view(torch.int8).float()


def _q4_k(blocks: Any) -> Any:
    """Eight parts of 32 numbers, each with a 6-bit scale and a 6-bit least value."""
    import torch

    count = len(blocks)
    scale, least = _half(blocks[:, :2]), _half(blocks[:, 2:4])
    packed = blocks[:, 4:16].int()
    low, middle, high = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = torch.cat([low & 63, (high & 15) | ((low >> 6) << 4)], 1).float() * scale
    mins = torch.cat([middle & 63, (high >> 4) | ((middle >> 6) << 4)], 1).float() * least
    bits = blocks[:, 16:].reshape(count, 4, 1, 32)
    numbers = torch.cat([bits & 15, bits >> 4], 2).reshape(count, 8, 32).float()
    return numbers * scales[:, :, None] - mins[:, :, None]


def _q6_k(blocks: Any) -> Any:
    """Sixteen parts of 16 numbers with an 8-bit scale; four low bits and two high ones."""
    import torch

    count = len(blocks)
    low = blocks[:, :128].reshape(count, 2, 1, 64)
    high = blocks[:, 128:192].reshape(count, 2, 1, 32)
    scales = blocks[:, 192:208].contiguous().view(torch.int8).float() * _half(blocks[:, 208:])
    low = torch.cat([low & 15, low >> 4], 2).reshape(count, 2, 4, 32)
    high = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2)
    numbers = (low | (high << 4)).reshape(count, 16, 16).float() - 32
    return numbers * scales[:, :, None]


def write_gguf(
    path: Path,
    metadata: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray | RawTensor],
    alignment: int = ALIGNMENT,
) -> None:
    """A file with tensors of numbers (float16, float32) or of bytes as another file stores them;
    values are texts, booleans, ints, floats, lists."""
    head = bytearray(MAGIC + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        head += _packed_text(key) + _packed(value)
    offset, bodies = 0, []
    for name, one in tensors.items():
        stored = one if isinstance(one, RawTensor) else _stored(one)
        body = np.ascontiguousarray(stored.data).tobytes()
        body += b"\0" * (-len(body) % alignment)
        kind, shape = stored.kind, stored.shape[::-1]
        head += _packed_text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        head += struct.pack("<IQ", kind, offset)
        offset += len(body)
        bodies.append(body)
    head += b"\0" * (-len(head) % alignment)
    path.write_bytes(bytes(head) + b"".join(bodies))


def _stored(numbers: np.ndarray) -> RawTensor:
    kind = {"float32": F32, "float16": F16}[str(numbers.dtype)]
    return RawTensor(numbers.shape, kind, numbers)


def _packed_text(text: str) -> bytes:
    body = text.encode("utf-8")
    return struct.pack("<Q", len(body)) + body


def _kind_of(value: Any) -> int:
    for kind, form in ((7, bool), (4, int), (6, float), (_STRING, str), (_ARRAY, list)):
        if isinstance(value, form):
            return 5 if form is int and value < 0 else kind
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _packed(value: Any) -> bytes:
    kind = _kind_of(value)
    return struct.pack("<I", kind) + _packed_body(kind, value)


def _packed_body(kind: int, value: Any) -> bytes:
    if kind == _STRING:
        return _packed_text(value)
    if kind == _ARRAY:
        inner = _kind_of(value[0]) if value else _STRING
        inner = 5 if inner == 4 else inner  # lists of whole numbers are signed
        body = b"".join(_packed_body(inner, one) for one in value)
        return struct.pack("<IQ", inner, len(value)) + body
    return struct.pack(_PLAIN[kind], value)
