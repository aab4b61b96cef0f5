"""The whole way on a tiny random model: sample, filter, train, export, load in llama.cpp."""

import json
import random
import urllib.request
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="training needs torch, the product does not")

from training.gguf_file import GgufFile, write_gguf  # noqa: E402
from training.lines import read_lines, write_lines  # noqa: E402
from training.policy import Course, Trainer, rounds_of  # noqa: E402
from training.qwen import LowRank, Qwen, masked_attention  # noqa: E402
from training.sample import load_model, sample_file  # noqa: E402
from training.sampler import BatchSampler, SampleRequest, drawn  # noqa: E402
from training.shrink import kept_tokens, shrunk  # noqa: E402
from training.solutions import Judged  # noqa: E402
from training.tiny import write_tiny  # noqa: E402
from training.tokens import REPLY, chat_text, tokenizer_of  # noqa: E402
from training.train import (  # noqa: E402
    Example,
    Learner,
    Plan,
    examples_of,
    pack_loss,
    packs_of,
    train,
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture
def opened(tiny: Path) -> tuple[Qwen, Any]:
    return load_model(tiny, "cpu")


def messages(request: str, shots: int = 1) -> list[dict[str, str]]:
    said = [{"role": "system", "content": "reply"}]
    for at in range(shots):
        said += [{"role": "user", "content": f"q{at}"}, {"role": "assistant", "content": "a"}]
    return [*said, {"role": "user", "content": request}]


def plain_logits(model: Qwen, ids: list[int]) -> Any:
    """Every position's logits, without any cache."""
    mask = torch.ones((len(ids), len(ids)), dtype=torch.bool).tril()
    group = model.shape.heads // model.shape.kv_heads
    with torch.no_grad():
        places = torch.arange(len(ids))[None]
        hidden = model.forward(torch.tensor([ids]), places, masked_attention(mask, group))
        return model.logits(hidden[0]).float()


def greedy(model: Qwen, tokenizer: Any, request: list[dict[str, str]], count: int) -> str:
    ids = tokenizer.encode(chat_text(request) + REPLY, add_special_tokens=False).ids
    stops = {tokenizer.token_to_id(one) for one in ("<|im_end|>", "<|endoftext|>")}
    fresh: list[int] = []
    while len(fresh) < count:
        token = int(plain_logits(model, ids + fresh)[-1].argmax())
        if token in stops:
            break
        fresh.append(token)
    return tokenizer.decode(fresh, skip_special_tokens=True)


def random_adapter(model: Qwen, seed: int = 5) -> LowRank:
    adapter = model.new_adapter(4, 8.0, ["q", "k", "v", "o", "gate", "up", "down"], seed)
    chance = torch.Generator().manual_seed(seed)
    for a, b in adapter.pairs.values():
        b.copy_(torch.randn(b.shape, generator=chance) * 0.1)
        a.copy_(a.half().float())
        b.copy_(b.half().float())
    return adapter


@pytest.mark.parametrize("adapted", [False, True])
@pytest.mark.parametrize("count", [3, 30])
def test_slots_write_what_the_plain_network_writes(
    opened: tuple[Qwen, Any], adapted: bool, count: int
) -> None:
    """With a shared beginning (30 rows) and without (3), in fewer slots than there are rows."""
    model, tokenizer = opened
    model.adapter = random_adapter(model) if adapted else None
    asked = [messages("x" * (at % 7 + 1) + str(at)) for at in range(count)]
    rows = [SampleRequest(str(at), m, 1, 0.0, 5 + at % 9) for at, m in enumerate(asked)]
    found = list(BatchSampler(model, tokenizer, slots=4).run(rows, limit_s=100))
    assert sorted(row.id for row in found) == sorted(str(at) for at in range(count))
    for row in found[:6]:
        want = greedy(model, tokenizer, asked[int(row.id)], row.max_tokens)
        assert row.texts[0] == want


def test_warm_samples_differ_and_the_first_is_greedy(opened: tuple[Qwen, Any]) -> None:
    model, tokenizer = opened
    torch.manual_seed(3)
    row = SampleRequest("a", messages("hello"), 6, 1.5, 12, greedy_first=True)
    (found,) = BatchSampler(model, tokenizer, slots=8).run([row], limit_s=100)
    assert found.texts[0] == greedy(model, tokenizer, messages("hello"), 12)
    assert len(set(found.texts.values())) > 2


def test_drawing_keeps_to_the_likely() -> None:
    logits = torch.full((2000, 50), -10.0)
    logits[:, 3], logits[:, 7], logits[:, 9] = 2.0, 1.5, -2.0
    seen = set(drawn(logits, torch.full((2000,), 0.8)).tolist())
    assert seen == {3, 7}, "9 is below a twentieth of the likeliest"
    assert set(drawn(logits, torch.zeros(2000)).tolist()) == {3}


def test_a_broken_off_file_is_gone_on_with(opened: tuple[Qwen, Any], tmp_path: Path) -> None:
    model, tokenizer = opened
    rows = [{"id": str(at), "messages": messages(str(at)), "n": 2, "max_tokens": 4}
            for at in range(5)]  # fmt: skip
    out = tmp_path / "out.jsonl"
    assert sample_file(BatchSampler(model, tokenizer), rows[:3], out, 100) == 0
    out.write_text(out.read_text() + '{"id": "4", "sam')
    out.write_text("\n".join(out.read_text().split("\n")[:3]) + "\n")
    assert sample_file(BatchSampler(model, tokenizer), rows, out, 100) == 0
    found = read_lines(out)
    assert sorted(row["id"] for row in found) == list("01234")
    assert all(len(row["samples"]) == len(row["tokens"]) == 2 for row in found)
    assert sample_file(BatchSampler(model, tokenizer), rows, tmp_path / "none", -1) == 5


def test_packed_examples_cost_what_they_cost_alone(opened: tuple[Qwen, Any]) -> None:
    model, tokenizer = opened
    model.adapter = random_adapter(model)
    rows = [{"messages": messages(f"req {at}"), "reply": f"reply {at * 7}"} for at in range(5)]
    examples = examples_of(rows, tokenizer)
    packs = packs_of(examples, 4096, random.Random(1))
    assert len(packs) == 1
    together = float(pack_loss(model, packs))
    alone = 0.0
    for one in examples:
        ids = [*one.begin, *one.tokens]
        chance = plain_logits(model, ids).log_softmax(-1)
        alone -= sum(float(chance[at - 1, ids[at]]) for at in range(len(ids) - one.loss, len(ids)))
    assert together == pytest.approx(alone, rel=1e-4)


def test_training_learns_and_the_export_is_read_back(
    opened: tuple[Qwen, Any], tmp_path: Path
) -> None:
    model, tokenizer = opened
    rows = [{"messages": messages(f"say {w}"), "reply": f"```{w}```"} for w in ("an", "the", "in")]
    examples: list[Example] = examples_of(rows, tokenizer)
    plan = Plan(rank=4, rate=2e-2, epochs=60, length=400, packs=1, targets="q,v,o,up,down")
    losses = [loss for _, loss in train(model, examples, plan)]
    assert losses[-1] < 0.3 * losses[0]
    assert isinstance(model.adapter, LowRank)
    model.adapter.save(tmp_path / "own.gguf")
    again = LowRank.load(tmp_path / "own.gguf")
    assert (again.rank, again.alpha) == (
        4,
        16.0,
    ) and again.pairs.keys() == model.adapter.pairs.keys()
    ids = tokenizer.encode("say the", add_special_tokens=False).ids
    before = plain_logits(model, ids)
    model.adapter = again
    assert torch.allclose(before, plain_logits(model, ids), atol=0.02)


def chance_of(model: Qwen, example: Example) -> float:
    ids = [*example.begin, *example.tokens]
    told = plain_logits(model, ids).log_softmax(-1)
    return sum(float(told[at - 1, ids[at]]) for at in range(len(ids) - example.loss, len(ids)))


def test_a_weight_below_zero_makes_a_reply_less_likely(opened: tuple[Qwen, Any]) -> None:
    model, tokenizer = opened
    rows = [
        {"messages": messages("say"), "reply": "the", "weight": 1.0},
        {"messages": messages("say"), "reply": "an", "weight": -1.0},
    ]
    good, bad = examples = examples_of(rows, tokenizer)
    model.adapter = model.new_adapter(4, 8.0, ["q", "v", "up", "down"], 1)
    before = [chance_of(model, one) for one in examples]
    learner = Learner(model.adapter)
    for _ in range(10):
        learner.step(model, [packs_of(examples, 400, random.Random(1))], 5e-3)
    assert chance_of(model, good) > before[0] + 0.5
    assert chance_of(model, bad) - before[1] < chance_of(model, good) - before[0] - 0.5


def test_rounds_raise_what_is_worth_more(
    opened: tuple[Qwen, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole loop, with replies that are right where their first sign has an even number."""
    model, tokenizer = opened
    shares: list[float] = []

    def judged(self: Trainer, number: int) -> dict[str, list[Judged]]:
        found = read_lines(tmp_path / f"samples-{number:02d}.jsonl")
        known = {row["id"]: [_is_even(text) for text in row["samples"]] for row in found}
        every = [one.right for row in known.values() for one in row]
        shares.append(sum(every) / len(every))
        return known

    monkeypatch.setattr(Trainer, "_judged", judged)
    course = Course(rank=4, rate=2e-2, prompts=24, side=0, longest=12, steps=4, length=400)
    trainer = Trainer(model, tokenizer, tmp_path, course)
    trainer.begin(None)
    rows = [{"id": str(at), "messages": messages(str(at)), "n": 8, "max_tokens": 20,
             "temperature": 1.0} for at in range(30)]  # fmt: skip
    rounds = rounds_of(rows, [], course)
    for number in range(1, 7):
        taken = next(rounds)
        assert len(taken) <= 24 and all(row["max_tokens"] == 12 for row in taken)
        trainer.round(number, taken, 0.0)
    assert shares[-1] > shares[0] + 0.2, shares
    assert LowRank.load(tmp_path / "adapter-06.gguf").rank == 4


def _is_even(text: str) -> Judged:
    right = bool(text) and ord(text[0]) % 2 == 0
    return Judged(right, right, right, "", text)


def test_a_model_with_fewer_words_says_the_same(tiny: Path, tmp_path: Path) -> None:
    file = GgufFile(tiny)
    kept = kept_tokens(file.metadata, ["the tin", "<|im_start|>"], 40)
    names = file.metadata["tokenizer.ggml.tokens"]
    assert len(kept) < len(names) and {"th", "in"} <= {names[at] for at in kept}
    write_gguf(tmp_path / "small.gguf", *shrunk(file, kept))
    (whole, tokenizer), (small, fewer) = (
        load_model(path, "cpu") for path in (tiny, tmp_path / "small.gguf")
    )
    text = chat_text([{"role": "system", "content": "the tin"}])
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    fresh = fewer.encode(text, add_special_tokens=False).ids
    assert [kept[at] for at in fresh] == ids
    assert torch.allclose(plain_logits(whole, ids)[:, kept], plain_logits(small, fresh), atol=1e-4)


def llama_logits(model: Path, adapter: Path | None, ids: list[int]) -> dict[int, float]:
    from hammerstone.models.local import server

    opened = server._load(model, 1, "key", [adapter] if adapter else [])
    body = {"prompt": ids, "n_predict": 1, "temperature": 0, "n_probs": 20, "cache_prompt": False}
    asked = urllib.request.Request(
        f"{opened.listening_address}/completion",
        json.dumps(body).encode(),
        {"Authorization": "Bearer key", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked) as reply:
        said = json.load(reply)
    found = said["completion_probabilities"][0]["top_logprobs"]
    return {one["id"]: one["logprob"] for one in found}


@pytest.mark.parametrize("adapted", [False, True])
def test_llama_cpp_agrees(
    tiny: Path, opened: tuple[Qwen, Any], tmp_path: Path, adapted: bool
) -> None:
    pytest.importorskip("xllamacpp")
    model, tokenizer = opened
    path = None
    if adapted:
        path = tmp_path / "adapter.gguf"
        random_adapter(model).save(path)
        model.adapter = LowRank.load(path)
    texts = [f"{chat_text(messages(str(at)))}the answer {chr(at)}" for at in range(33, 127)]
    every = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    # A byte that is no whole character is not told of: a prompt with a plain first token.
    ids = next(one for one in every if 33 <= int(plain_logits(model, one)[-1].argmax()) < 127)
    said = llama_logits(tiny, path, ids)
    mine = plain_logits(model, ids)[-1].log_softmax(-1)
    apart = max(abs(float(mine[at]) - value) for at, value in said.items())
    assert apart < 0.03, "llama.cpp keeps keys and values in float16"
    if adapted:
        model.adapter = None
        bare = plain_logits(model, ids)[-1].log_softmax(-1)
        assert max(abs(float(bare[at]) - value) for at, value in said.items()) > 10 * apart


def test_the_tokenizer_is_the_files_own(tiny: Path) -> None:
    tokenizer = tokenizer_of(GgufFile(tiny).metadata)
    text = chat_text(messages("Zürich, then 12 × 7?"))
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_lines_are_read_back(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.jsonl.gz"):
        write_lines(tmp_path / name, [{"a": "ü"}, {"b": [1]}])
        assert read_lines(tmp_path / name) == [{"a": "ü"}, {"b": [1]}]
