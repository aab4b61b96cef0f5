"""Many samples of many prompts at once: slots that are refilled, one static cache, CUDA graphs.

Prompts that begin alike share the keys and values of what they have in common, and the samples
of one prompt those of the prompt, so that nearly all of the work is writing. Tokens are drawn as
llama.cpp draws them by default: the 40 likeliest, of these 95 % of the mass, none below a
twentieth of the likeliest, then the temperature.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from training.qwen import Qwen
from training.tokens import REPLY, STOPS, chat_text

TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
_SHARED_BY = 24  # prompts that begin alike before their beginning is read apart
_STEPS = 8  # steps between two looks at what is finished
_READ_AT_ONCE = 48  # prompts


@dataclass(slots=True)
class SampleRequest:
    """A prompt and how often it is continued; with `greedy_first` the first sample is greedy."""

    id: str
    messages: list[dict[str, str]]
    n: int = 1
    temperature: float = 0.8
    max_tokens: int = 360
    greedy_first: bool = False
    prompt: list[int] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)

    def heat(self, sample: int) -> float:
        return 0.0 if self.greedy_first and sample == 0 else self.temperature

    def to_json(self) -> dict[str, object]:
        order = sorted(self.texts)
        found = {"id": self.id, "samples": [self.texts[at] for at in order]}
        found["tokens"] = [self.lengths[at] for at in order]
        return found if len(order) == self.n else {**found, "partial": True}


def drawn(logits: torch.Tensor, heat: torch.Tensor) -> torch.Tensor:
    """One token a row; the likeliest where the heat is 0."""
    best, places = logits.float().topk(min(TOP_K, logits.shape[-1]), -1)
    chance = best.softmax(-1)
    before = chance.cumsum(-1) - chance
    cut = (before >= TOP_P) | (chance < MIN_P * chance[:, :1])
    cut[:, 0] = False
    warm = best / heat.clamp_min(1e-4)[:, None]
    noise = -torch.log(-torch.log(torch.rand_like(warm).clamp(1e-10, 1 - 1e-7)))
    warm = (warm + noise * (heat > 0)[:, None]).masked_fill(cut, float("-inf"))
    return places.gather(-1, warm.argmax(-1, keepdim=True)).squeeze(-1)


class Prefix:
    """Keys and values of what a group of prompts begins with; may be empty."""

    def __init__(self, model: Qwen, tokens: Sequence[int]) -> None:
        shape = model.shape
        self.length = len(tokens)
        size = (shape.layers, shape.kv_heads, self.length, shape.head)
        self.keys = torch.zeros(size, device=model.device, dtype=model.dtype)
        self.values = torch.zeros_like(self.keys)
        if not tokens:
            return
        ids = torch.tensor([list(tokens)], device=model.device)

        def attend(layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            self.keys[layer], self.values[layer] = k[0].transpose(0, 1), v[0].transpose(0, 1)
            group = shape.heads // shape.kv_heads
            q, k, v = (one.transpose(1, 2) for one in (q, k, v))
            k, v = (one.repeat_interleave(group, 1) for one in (k, v))
            return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)

        model.forward(ids, torch.arange(self.length, device=model.device)[None], attend)


class Slots:
    """Sequences that are written side by side after one prefix."""

    def __init__(self, model: Qwen, prefix: Prefix, count: int, length: int, longest: int) -> None:
        shape, device = model.shape, model.device
        self.model, self.prefix, self.count, self.length = model, prefix, count, length
        size = (shape.layers, count, shape.kv_heads, length, shape.head)
        self.keys = torch.zeros(size, device=device, dtype=model.dtype)
        self.values = torch.zeros_like(self.keys)
        self.token = torch.zeros(count, dtype=torch.long, device=device)
        self.place = torch.zeros(count, dtype=torch.long, device=device)
        self.written = torch.zeros(count, dtype=torch.long, device=device)
        self.limit = torch.ones(count, dtype=torch.long, device=device)
        self.heat = torch.zeros(count, device=device)
        self.done = torch.ones(count, dtype=torch.bool, device=device)
        self.out = torch.zeros((count, longest + 1), dtype=torch.long, device=device)
        self.rows = torch.arange(count, device=device)
        self.columns = torch.arange(length, device=device)
        self.stops = torch.empty(0, dtype=torch.long, device=device)
        self.graphs = device.type == "cuda"
        self._graph: torch.cuda.CUDAGraph | None = None

    def step(self) -> None:
        """One token more for every slot that is not done."""
        shape, start = self.model.shape, self.prefix.length
        group = shape.heads // shape.kv_heads
        hidden_columns = self.columns[None] > self.place[:, None]
        bias = torch.zeros((self.count, start + self.length), device=self.model.device)
        bias[:, start:].masked_fill_(hidden_columns, float("-inf"))
        bias = bias[:, None, None]
        scale = shape.head**-0.5

        def attend(layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            self.keys[layer][self.rows, :, self.place] = k[:, 0]
            self.values[layer][self.rows, :, self.place] = v[:, 0]
            asked = q[:, 0].unflatten(1, (shape.kv_heads, group))  # a row's heads as queries
            flat = asked.transpose(0, 1).flatten(1, 2)  # kv head, row x group, head
            common = flat @ self.prefix.keys[layer].transpose(1, 2)
            common = common.unflatten(1, (self.count, group)).transpose(0, 1)
            own = asked @ self.keys[layer].transpose(2, 3)
            share = torch.cat([common, own], -1).float() * scale + bias
            share = share.softmax(-1).to(q.dtype)
            common, own = share[..., :start], share[..., start:]
            read = own @ self.values[layer]
            flat = common.transpose(0, 1).flatten(1, 2) @ self.prefix.values[layer]
            read = read + flat.unflatten(1, (self.count, group)).transpose(0, 1)
            return read.flatten(1, 2)[:, None]

        hidden = self.model.forward(self.token[:, None], (self.place + start)[:, None], attend)
        fresh = drawn(self.model.logits(hidden[:, 0]), self.heat)
        self._put(fresh)

    def _put(self, fresh: torch.Tensor) -> None:
        """Write down new tokens; what is done stays as it is."""
        going = ~self.done
        at = torch.where(going, self.written, self.out.shape[1] - 1)
        self.out[self.rows, at] = fresh
        ended = (fresh[:, None] == self.stops[None]).any(-1)
        self.written += (going & ~ended).long()
        self.place += going.long()
        self.token.copy_(torch.where(going, fresh, self.token))
        self.done |= ended | (self.written >= self.limit)
        self.place.clamp_(max=self.length - 1)

    def begin(
        self,
        slots: Sequence[int],
        owners: torch.Tensor,
        read: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
        sizes: torch.Tensor,
        heats: Sequence[float],
        limits: Sequence[int],
    ) -> None:
        """Put samples of prompts that were read into free slots; `owners` are prompt numbers."""
        keys, values, hidden = read
        device = self.model.device
        at = torch.tensor(list(slots), device=device)
        width = keys.shape[3]
        for layer in range(self.model.shape.layers):
            self.keys[layer][at, :, :width] = keys[layer][owners]
            self.values[layer][at, :, :width] = values[layer][owners]
        heat = torch.tensor(list(heats), device=device)
        first = drawn(self.model.logits(hidden[owners]), heat)
        ended = (first[:, None] == self.stops[None]).any(-1)
        self.token[at] = first
        self.place[at] = sizes[owners]
        self.out[at, 0] = first
        self.written[at] = (~ended).long()
        self.limit[at] = torch.tensor(list(limits), device=device)
        self.heat[at] = heat
        self.done[at] = ended | (self.written[at] >= self.limit[at])

    def read(
        self, prompts: Sequence[Sequence[int]]
    ) -> tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]:
        """Keys, values and last hidden states of prompts after the prefix, and their sizes."""
        model, start = self.model, self.prefix.length
        device, shape = model.device, model.shape
        width = max(map(len, prompts))
        ids = torch.tensor([[*one, *[0] * (width - len(one))] for one in prompts], device=device)
        sizes = torch.tensor([len(one) for one in prompts], device=device)
        size = (shape.layers, len(prompts), shape.kv_heads, width, shape.head)
        keys = torch.empty(size, device=device, dtype=model.dtype)
        values = torch.empty_like(keys)
        own = torch.ones((width, width), dtype=torch.bool, device=device).tril()
        mask = torch.cat([own.new_ones((width, start)), own], 1)
        group = shape.heads // shape.kv_heads

        def attend(layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            q, k, v = (one.transpose(1, 2) for one in (q, k, v))
            keys[layer], values[layer] = k, v
            before = (len(prompts), -1, -1, -1)
            k = torch.cat([self.prefix.keys[layer][None].expand(*before), k], 2)
            v = torch.cat([self.prefix.values[layer][None].expand(*before), v], 2)
            k, v = (one.repeat_interleave(group, 1) for one in (k, v))
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)

        positions = torch.arange(start, start + width, device=device)[None].expand(len(prompts), -1)
        hidden = model.forward(ids, positions, attend)
        return (keys, values, hidden[torch.arange(len(prompts), device=device), sizes - 1]), sizes

    def steps(self, count: int) -> None:
        """Several steps, replayed from a recording where there is a GPU."""
        if self.graphs and self._graph is None:
            self._record()
        for _ in range(count):
            if self._graph is not None:
                self._graph.replay()
            else:
                self.step()

    def _record(self) -> None:
        kept = [one.clone() for one in self._state()]
        try:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(2):
                    self.step()
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.step()
            self._graph = graph
        except RuntimeError as error:  # slower, but it goes on
            print("no CUDA graph:", error, flush=True)
            self.graphs = False
            torch.cuda.synchronize()
        # The trial steps wrote beyond what is kept: put the state back as it was.
        for one, was in zip(self._state(), kept, strict=True):
            one.copy_(was)

    def _state(self) -> list[torch.Tensor]:
        return [self.token, self.place, self.written, self.done, self.out]


@dataclass(slots=True)
class _Group:
    prefix: list[int]
    rows: list[SampleRequest]


def _grouped(rows: Sequence[SampleRequest], encode: Callable[[str], list[int]]) -> list[_Group]:
    """Rows by what their prompts begin with; those with a rare beginning are read whole."""
    begins: dict[str, list[SampleRequest]] = {}
    for row in rows:
        begins.setdefault(chat_text(row.messages[:-1]) if row.messages[1:] else "", []).append(row)
    whole: list[SampleRequest] = []
    groups: list[_Group] = []
    for begin, members in begins.items():
        if not begin or len(members) < _SHARED_BY:
            whole += members
            continue
        for row in members:
            text = chat_text(row.messages) + REPLY
            row.prompt = encode(text[len(begin) :])
        groups.append(_Group(encode(begin), members))
    for row in whole:
        row.prompt = encode(chat_text(row.messages) + REPLY)
    if whole:
        groups.append(_Group([], whole))
    return groups


class BatchSampler:
    """Samples for rows of prompts, in the order in which they are finished."""

    def __init__(
        self, model: Qwen, tokenizer: object, *, slots: int = 1024, graphs: bool = True
    ) -> None:
        self._model, self._tokenizer, self._slots = model, tokenizer, slots
        self._graphs = graphs
        ids = [tokenizer.token_to_id(one) for one in STOPS]  # type: ignore[attr-defined]
        self._stops = [one for one in ids if one is not None]
        self.tokens = 0
        self.seconds = 0.0

    def run(self, rows: Sequence[SampleRequest], *, limit_s: float) -> Iterator[SampleRequest]:
        """Each row when it has all of its samples; at the end of the time what there is."""
        end = time.monotonic() + limit_s
        began = time.monotonic()
        with torch.inference_mode():
            for group in _grouped(rows, self._encode):
                yield from self._run_group(group, end)
        self.seconds += time.monotonic() - began

    def _encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids  # type: ignore[attr-defined]

    def _run_group(self, group: _Group, end: float) -> Iterator[SampleRequest]:
        if time.monotonic() > end:
            return
        waiting = sorted(group.rows, key=lambda row: -len(row.prompt) - row.max_tokens)
        longest = max(row.max_tokens for row in waiting)
        length = max(len(row.prompt) + row.max_tokens for row in waiting) + 1
        count = max(min(self._slots, sum(row.n for row in waiting)), max(row.n for row in waiting))
        prefix = Prefix(self._model, group.prefix)
        slots = Slots(self._model, prefix, count, -(-length // 16) * 16, longest)
        slots.stops = torch.tensor(self._stops, device=self._model.device)
        slots.graphs = slots.graphs and self._graphs
        held: list[tuple[SampleRequest, int] | None] = [None] * count
        waiting.reverse()  # pop takes the longest first
        while waiting or any(held):
            self._refill(slots, held, waiting)
            slots.steps(_STEPS)
            yield from self._harvest(slots, held)
            if time.monotonic() > end:
                yield from (row for row in _open(held) if row.texts)
                return

    def _refill(
        self,
        slots: Slots,
        held: list[tuple[SampleRequest, int] | None],
        waiting: list[SampleRequest],
    ) -> None:
        free = [at for at, one in enumerate(held) if one is None]
        while waiting and len(free) >= waiting[-1].n:
            taken: list[SampleRequest] = []
            room = len(free)
            while waiting and waiting[-1].n <= room and len(taken) < _READ_AT_ONCE:
                taken.append(waiting.pop())
                room -= taken[-1].n
            read, sizes = slots.read([row.prompt for row in taken])
            jobs = [(at, row, n) for at, row in enumerate(taken) for n in range(row.n)]
            places, free = free[: len(jobs)], free[len(jobs) :]
            owners = torch.tensor([at for at, _, _ in jobs], device=self._model.device)
            heats = [row.heat(n) for _, row, n in jobs]
            limits = [row.max_tokens for _, row, _ in jobs]
            slots.begin(places, owners, read, sizes, heats, limits)
            for place, (_, row, n) in zip(places, jobs, strict=True):
                held[place] = (row, n)

    def _harvest(
        self, slots: Slots, held: list[tuple[SampleRequest, int] | None]
    ) -> Iterator[SampleRequest]:
        done = slots.done.tolist()
        ready = [at for at, one in enumerate(held) if one is not None and done[at]]
        if not ready:
            return
        at = torch.tensor(ready, device=self._model.device)
        tokens, sizes = slots.out[at].tolist(), slots.written[at].tolist()
        for place, ids, size in zip(ready, tokens, sizes, strict=True):
            found = held[place]
            assert found is not None
            row, sample = found
            held[place] = None
            text = self._tokenizer.decode(ids[:size], skip_special_tokens=True)  # type: ignore[attr-defined]
            row.texts[sample], row.lengths[sample] = text, size
            self.tokens += size
            if len(row.texts) == row.n:
                yield row


def _open(held: Sequence[tuple[SampleRequest, int] | None]) -> list[SampleRequest]:
    return list({id(one[0]): one[0] for one in held if one is not None}.values())
