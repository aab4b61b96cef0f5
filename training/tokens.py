"""Texts as tokens and back, with the vocabulary that a GGUF file carries."""

import json
from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer

_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CONTROL, USER_DEFINED = 3, 4
STOPS = ("<|im_end|>", "<|endoftext|>")
_DEFAULT_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."


def tokenizer_of(metadata: dict[str, Any]) -> Tokenizer:
    """The byte-level BPE tokenizer of the Qwen family."""
    names: list[str] = metadata["tokenizer.ggml.tokens"]
    kinds: list[int] = metadata["tokenizer.ggml.token_type"]
    bytes_only = {"add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    level = {"type": "ByteLevel", **bytes_only}
    split = {"type": "Split", "pattern": {"Regex": _SPLIT}, "behavior": "Isolated", "invert": False}
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": at, "content": name, "special": True, **plain}
            for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
            if kind in (CONTROL, USER_DEFINED)
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": level,
        "decoder": level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {name: at for at, name in enumerate(names)},
            "merges": metadata["tokenizer.ggml.merges"],
        },
    }
    return Tokenizer.from_str(json.dumps(document))


def chat_text(messages: Sequence[dict[str, str]]) -> str:
    """Messages as the model's own template writes them, without the reply's beginning."""
    said = list(messages)
    if not said or said[0]["role"] != "system":
        said.insert(0, {"role": "system", "content": _DEFAULT_SYSTEM})
    return "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in said)


REPLY = "<|im_start|>assistant\n"
