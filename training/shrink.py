"""The model without the words it does not need: `python -m training.shrink MODEL OUT TEXTS...`.

Two fifths of the file are rows for 152,000 tokens of all languages. Kept are the tokens that
occur in the given texts (files or folders), the most frequent ones, and all they are merged from;
the rows that stay are the same bytes. Quicker to send, to sample and to train; the adapter that
comes out belongs to the whole model, since it touches no row of a token.
"""

import argparse
import gzip
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from training.gguf_file import GgufFile, RawTensor, write_gguf
from training.tokens import CONTROL, REPLY, USER_DEFINED, chat_text, tokenizer_of

_PER_TOKEN = ("token_embd.weight", "output.weight")
_TEXTS = {".py", ".md", ".json", ".jsonl", ".txt", ".gz"}
_PIECE = 200_000


def texts_in(paths: Iterable[Path]) -> Iterable[str]:
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix in _TEXTS:
                packed = file.suffix == ".gz"
                data = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
                text = data.decode("utf-8", "replace")
                # JSON writes line ends and quotes otherwise than a prompt holds them.
                text += text.replace("\\n", "\n").replace('\\"', '"') if "\\" in text else ""
                yield from (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def kept_tokens(metadata: dict[str, Any], texts: Iterable[str], frequent: int) -> list[int]:
    """The numbers of the tokens that stay, in their order."""
    names: list[str] = metadata["tokenizer.ggml.tokens"]
    number = {name: at for at, name in enumerate(names)}
    tokenizer = tokenizer_of(metadata)
    kept = {*range(min(frequent, len(names))), *_controls(metadata)}
    for text in chain([chat_text([]) + REPLY], texts):
        kept.update(tokenizer.encode(text, add_special_tokens=False).ids)
    made: dict[int, list[tuple[int, int]]] = {}
    for merge in metadata["tokenizer.ggml.merges"]:
        left, right = merge.split(" ")
        made.setdefault(number[left + right], []).append((number[left], number[right]))
    open_ones = list(kept)
    while open_ones:  # what a token is merged from has to be there as well
        for pair in made.get(open_ones.pop(), []):
            open_ones += [one for one in pair if one not in kept]
            kept.update(pair)
    kept.update(number[name] for name in names if len(name) == 1)
    return sorted(kept)


def _controls(metadata: dict[str, Any]) -> list[int]:
    kinds = metadata["tokenizer.ggml.token_type"]
    return [at for at, kind in enumerate(kinds) if kind in (CONTROL, USER_DEFINED)]


def shrunk(file: GgufFile, kept: list[int]) -> tuple[dict[str, Any], dict[str, RawTensor]]:
    """Metadata and tensors of the smaller model."""
    metadata = dict(file.metadata)
    names: list[str] = metadata["tokenizer.ggml.tokens"]
    present = {names[at] for at in kept}
    fresh = {was: at for at, was in enumerate(kept)}
    for key in ("tokens", "token_type", "scores"):
        if f"tokenizer.ggml.{key}" in metadata:
            old = metadata[f"tokenizer.ggml.{key}"]
            metadata[f"tokenizer.ggml.{key}"] = [old[at] for at in kept]
    metadata["tokenizer.ggml.merges"] = [
        merge
        for merge in metadata["tokenizer.ggml.merges"]
        if {*merge.split(" "), merge.replace(" ", "")} <= present
    ]
    for key in [one for one in metadata if one.endswith("_token_id")]:
        metadata[key] = fresh[metadata[key]]
    tensors: dict[str, RawTensor] = {}
    for name, one in file.tensors.items():
        data, shape = file.raw(name), one.shape
        if name in _PER_TOKEN:
            data = data.reshape(shape[0], -1)[kept].reshape(-1)
            shape = (len(kept), *shape[1:])
        tensors[name] = RawTensor(shape, one.kind, data)
    return metadata, tensors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--frequent", type=int, default=20_000)
    options = parser.parse_args()
    file = GgufFile(options.model)
    kept = kept_tokens(file.metadata, texts_in(options.texts), options.frequent)
    write_gguf(options.out, *shrunk(file, kept))
    print(f"{len(kept)} tokens of {len(file.metadata['tokenizer.ggml.tokens'])}; "
          f"{options.out.stat().st_size} bytes of {options.model.stat().st_size}")  # fmt: skip


if __name__ == "__main__":
    main()
