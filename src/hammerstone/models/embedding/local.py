"""MiniLM on this machine: 384 numbers a text, no network, about 5 ms a request.

Nothing is loaded before the first text: onnxruntime costs 0.2 s of import and the model 0.1 s,
which a command that never searches must not pay. Both files are hashed when they are loaded;
a file that was swapped would silently make every stored vector meaningless.
"""

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hammerstone.core.errors import ModelMissing, ModelUnavailable, WrongHash

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_NAME = "all-MiniLM-L6-v2-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_FILE = "minilm-int8.onnx"
TOKENIZER_FILE = "minilm-tokenizer.json"
DIMENSIONS = 384

# The model was trained on 128 to 256 word pieces; what follows adds cost, not meaning.
MAX_TOKENS = 256
# Characters that can matter for MAX_TOKENS; tokenising 100 kB would cost more than the model.
MAX_CHARACTERS = 4_000
# More texts than this leave the event loop; fewer would pay more for the thread than they save.
INLINE_TEXTS = 1
BATCH = 16
REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any


class LocalEmbedder:
    """Embeds with the two files of a directory. Safe to share between tasks and threads."""

    def __init__(self, directory: Path, *, threads: int = 2) -> None:
        self._directory = directory
        self._threads = threads
        self._loaded: _Loaded | None = None
        self._lock = threading.Lock()
        # Finding a tool and judging its fit embed the same request: the second is free.
        self._remembered: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def space(self) -> str:
        return f"{MODEL_NAME}@{MODEL_SHA256[:12]}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text, in order; the same text always has the same vector."""
        return (await self.embed_array(texts)).tolist()

    async def embed_array(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """As `embed`, without the detour over Python floats."""
        if self._loaded is None or len(texts) > INLINE_TEXTS:
            return await asyncio.to_thread(self._embed, texts)
        return self._embed(texts)

    async def close(self) -> None:
        with self._lock:
            self._loaded = None
            self._remembered.clear()

    def _embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        with self._lock:
            loaded = self._loaded
            if loaded is None:
                loaded = self._loaded = _load(self._directory, self._threads)
            vectors = np.empty((len(texts), DIMENSIONS), np.float32)
            unknown: list[int] = []
            for row, text in enumerate(texts):
                known = self._remembered.get(text)
                if known is None:
                    unknown.append(row)
                else:
                    vectors[row] = known
            if unknown:
                vectors[unknown] = _encode(loaded, [texts[row] for row in unknown])
                for row in unknown:
                    self._remember(texts[row], vectors[row])
            return vectors

    def _remember(self, text: str, vector: "NDArray[np.float32]") -> None:
        if len(text) <= MAX_CHARACTERS:
            self._remembered[text] = vector.copy()
            if len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)


def _load(directory: Path, threads: int) -> _Loaded:
    model = _verified(directory / MODEL_FILE, MODEL_SHA256)
    tokenizer_json = _verified(directory / TOKENIZER_FILE, TOKENIZER_SHA256)
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelMissing(
            f"the local embedder cannot start: {error}", hint="install onnxruntime and tokenizers"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would take the cores from the language model between two searches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    tokenizer = Tokenizer.from_str(tokenizer_json.decode())
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return _Loaded(session, tokenizer)


def _verified(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ModelMissing(
            f"the embedder's file {path.name} is missing",
            hint="fetch it with `hammerstone pull`",
            path=str(path),
        ) from None
    except OSError as error:
        raise ModelUnavailable(f"{path.name} cannot be read: {error}", path=str(path)) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise WrongHash(
            f"{path.name} is not the promised file (SHA-256 {found[:12]}, not {sha256[:12]})",
            hint=f"delete {path} and run `hammerstone pull`",
            path=str(path),
            found=found,
            expected=sha256,
        )
    return content


def _encode(loaded: _Loaded, texts: Sequence[str]) -> "NDArray[np.float32]":
    encodings = loaded.tokenizer.encode_batch([text[:MAX_CHARACTERS] for text in texts])
    # Similar lengths together: padding is computed like text.
    order = sorted(range(len(encodings)), key=lambda row: len(encodings[row].ids))
    vectors = np.empty((len(texts), DIMENSIONS), np.float32)
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        vectors[rows] = _forward(loaded.session, [encodings[row].ids for row in rows])
    return vectors


def _forward(session: Any, batch: list[list[int]]) -> "NDArray[np.float32]":
    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (hidden,) = session.run(None, feed)
    mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
    return (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)
