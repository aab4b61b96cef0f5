"""The Qwen2 network in plain torch, with low-rank additions to its linear layers.

Tensors keep the names they have in the GGUF file. What attends to what is the caller's: `forward`
is given a function from a layer's queries, keys and values to what each position reads.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from training.gguf_file import GgufFile, dequantised, write_gguf

Attend = Callable[[int, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
LAYERS_WITH_WEIGHTS = {
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "o": "attn_output",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network."""

    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    base: float
    epsilon: float

    @property
    def head(self) -> int:
        return self.width // self.heads

    @staticmethod
    def of(metadata: dict[str, Any]) -> "Shape":
        def get(name: str) -> Any:
            return metadata[f"qwen2.{name}"]

        return Shape(
            get("block_count"),
            get("embedding_length"),
            get("feed_forward_length"),
            get("attention.head_count"),
            get("attention.head_count_kv"),
            get("rope.freq_base"),
            get("attention.layer_norm_rms_epsilon"),
        )


@dataclass(slots=True)
class LowRank:
    """An adapter: for a layer's name the matrices A (rank x in) and B (out x rank)."""

    rank: int
    alpha: float
    pairs: dict[str, tuple[torch.Tensor, torch.Tensor]]

    @property
    def scale(self) -> float:
        return self.alpha / self.rank

    def parameters(self) -> list[torch.Tensor]:
        return [one for pair in self.pairs.values() for one in pair]

    def to(self, device: str, dtype: torch.dtype) -> "LowRank":
        moved = {
            name: (a.detach().to(device, dtype), b.detach().to(device, dtype))
            for name, (a, b) in self.pairs.items()
        }
        return LowRank(self.rank, self.alpha, moved)

    def save(self, path: Path) -> None:
        """The adapter as llama.cpp reads it, in float16."""
        tensors: dict[str, np.ndarray] = {}
        for name, (a, b) in self.pairs.items():
            tensors[f"{name}.weight.lora_a"] = a.detach().cpu().to(torch.float16).numpy()
            tensors[f"{name}.weight.lora_b"] = b.detach().cpu().to(torch.float16).numpy()
        metadata = {
            "general.type": "adapter",
            "general.architecture": "qwen2",
            "general.name": path.stem,
            "adapter.type": "lora",
            "adapter.lora.alpha": float(self.alpha),
        }
        write_gguf(path, metadata, tensors)

    @staticmethod
    def load(path: Path) -> "LowRank":
        file = GgufFile(path)
        names = [name.removesuffix(".weight.lora_a") for name in file.tensors if "lora_a" in name]
        pairs = {
            name: (
                dequantised(file, f"{name}.weight.lora_a"),
                dequantised(file, f"{name}.weight.lora_b"),
            )
            for name in names
        }
        rank = len(next(iter(pairs.values()))[0])
        return LowRank(rank, file.metadata["adapter.lora.alpha"], pairs)


class Qwen:
    """The network; `adapter` is added to the layers it names."""

    def __init__(self, shape: Shape, weights: dict[str, torch.Tensor]) -> None:
        self.shape = shape
        self.weights = weights
        self.adapter: LowRank | None = None
        half = torch.arange(0, shape.head, 2, dtype=torch.float64) / shape.head
        self._turns = (1.0 / shape.base**half).float().to(self.device)

    @staticmethod
    def load(file: GgufFile, device: str, dtype: torch.dtype) -> "Qwen":
        weights = {name: dequantised(file, name, device).to(dtype) for name in file.tensors}
        return Qwen(Shape.of(file.metadata), weights)

    @property
    def device(self) -> torch.device:
        return self.weights["token_embd.weight"].device

    @property
    def dtype(self) -> torch.dtype:
        return self.weights["token_embd.weight"].dtype

    def new_adapter(self, rank: int, alpha: float, targets: list[str], seed: int) -> LowRank:
        """An adapter that changes nothing yet: B is zero."""
        chance = torch.Generator().manual_seed(seed)
        pairs = {}
        for layer in range(self.shape.layers):
            for target in targets:
                name = f"blk.{layer}.{LAYERS_WITH_WEIGHTS[target]}"
                out, into = self.weights[f"{name}.weight"].shape
                a = torch.randn(rank, into, generator=chance) / math.sqrt(into)
                b = torch.zeros(out, rank)
                pairs[name] = (a.to(self.device), b.to(self.device))
        return LowRank(rank, alpha, pairs)

    def linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))
        if self.adapter is not None and name in self.adapter.pairs:
            a, b = self.adapter.pairs[name]
            y = y + F.linear(F.linear(x, a.to(x.dtype)), b.to(x.dtype)) * self.adapter.scale
        return y

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.shape.epsilon)
        return wide.to(x.dtype) * self.weights[f"{name}.weight"]

    def rotation(self, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosine and sine for each position, over a head's dimensions."""
        angle = positions.float()[..., None] * self._turns
        angle = torch.cat([angle, angle], -1)
        return angle.cos().to(self.dtype), angle.sin().to(self.dtype)

    def forward(
        self, tokens: torch.Tensor, positions: torch.Tensor, attend: Attend
    ) -> torch.Tensor:
        """The last hidden states, normed; tokens and positions of any shape (..., length)."""
        shape = self.shape
        cos, sin = (one.unsqueeze(-2) for one in self.rotation(positions))
        x = F.embedding(tokens, self.weights["token_embd.weight"])
        for layer in range(shape.layers):
            h = self.norm(f"blk.{layer}.attn_norm", x)
            q, k, v = (
                self.linear(f"blk.{layer}.attn_{part}", h).unflatten(-1, (-1, shape.head))
                for part in "qkv"
            )
            read = attend(layer, _turned(q, cos, sin), _turned(k, cos, sin), v)
            x = x + self.linear(f"blk.{layer}.attn_output", read.flatten(-2))
            h = self.norm(f"blk.{layer}.ffn_norm", x)
            h = F.silu(self.linear(f"blk.{layer}.ffn_gate", h)) * self.linear(
                f"blk.{layer}.ffn_up", h
            )
            x = x + self.linear(f"blk.{layer}.ffn_down", h)
        return self.norm("output_norm", x)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        name = "output.weight" if "output.weight" in self.weights else "token_embd.weight"
        return F.linear(hidden, self.weights[name])


def _turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def masked_attention(mask: torch.Tensor, group: int) -> Attend:
    """Attention of (batch, length, heads, head) with a mask that holds for all layers."""

    def attend(_layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        k, v = (one.repeat_interleave(group, 1) for one in (k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)

    return attend
