"""A tiny random model with the Qwen2 shape, to try the whole way on a CPU."""

from pathlib import Path
from typing import Any

import numpy as np

from training.gguf_file import write_gguf

WIDTH, INNER, HEADS, KV_HEADS, LAYERS = 64, 96, 4, 2, 2
CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def byte_names() -> list[str]:
    """What byte-level vocabularies call each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names, extra = dict[int, str](), 0
    for byte in range(256):
        if byte in printable:
            names[byte] = chr(byte)
        else:
            names[byte] = chr(256 + extra)
            extra += 1
    return [names[byte] for byte in range(256)]


def metadata() -> dict[str, Any]:
    pairs = [("a", "n"), ("t", "h"), ("i", "n"), ("r", "e")]
    tokens = [*byte_names(), *(a + b for a, b in pairs), *CONTROLS]
    return {
        "general.architecture": "qwen2",
        "general.type": "model",
        "general.name": "tiny",
        "qwen2.block_count": LAYERS,
        "qwen2.context_length": 2048,
        "qwen2.embedding_length": WIDTH,
        "qwen2.feed_forward_length": INNER,
        "qwen2.attention.head_count": HEADS,
        "qwen2.attention.head_count_kv": KV_HEADS,
        "qwen2.rope.freq_base": 1_000_000.0,
        "qwen2.attention.layer_norm_rms_epsilon": 1e-6,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [1] * (len(tokens) - len(CONTROLS)) + [3] * len(CONTROLS),
        "tokenizer.ggml.merges": [f"{a} {b}" for a, b in pairs],
        "tokenizer.ggml.eos_token_id": len(tokens) - 1,
        "tokenizer.ggml.padding_token_id": len(tokens) - 3,
        "tokenizer.ggml.bos_token_id": len(tokens) - 3,
        "tokenizer.ggml.add_bos_token": False,
    }


def write_tiny(path: Path, seed: int = 1) -> Path:
    """The model as a GGUF file of float32 numbers."""
    chance = np.random.default_rng(seed)
    known = metadata()
    head = WIDTH // HEADS

    def matrix(out: int, into: int) -> np.ndarray:
        return (chance.standard_normal((out, into)) / into**0.5).astype(np.float32)

    tensors = {"token_embd.weight": matrix(len(known["tokenizer.ggml.tokens"]), WIDTH)}
    tensors["output.weight"] = 4 * matrix(len(known["tokenizer.ggml.tokens"]), WIDTH)
    tensors["output_norm.weight"] = np.ones(WIDTH, np.float32)
    sizes = {"attn_q": (WIDTH, WIDTH), "attn_k": (KV_HEADS * head, WIDTH)}
    sizes |= {"attn_v": (KV_HEADS * head, WIDTH), "attn_output": (WIDTH, WIDTH)}
    sizes |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
    for layer in range(LAYERS):
        for name, size in sizes.items():
            tensors[f"blk.{layer}.{name}.weight"] = matrix(*size)
        for part in "qkv":
            out = sizes[f"attn_{part}"][0]
            bias = chance.standard_normal(out).astype(np.float32) / 4
            tensors[f"blk.{layer}.attn_{part}.bias"] = bias
        for name in ("attn_norm", "ffn_norm"):
            ones = 1 + chance.standard_normal(WIDTH).astype(np.float32) / 10
            tensors[f"blk.{layer}.{name}.weight"] = ones.astype(np.float32)
    write_gguf(path, known, tensors)
    return path
