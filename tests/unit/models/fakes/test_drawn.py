"""A model that records through: asked once, different draws within a request, charged by tokens."""

from pathlib import Path

import pytest

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelError, ModelNonsense, ModelUnavailable
from hammerstone.models.fakes import DrawBook, DrawnModel, ScriptedModel
from hammerstone.models.fakes.drawn import Draw, ModelPace, draw_key

ASKED = (Message("system", "count"), Message("user", "how many?"))
GREEDY = Prompt(ASKED, purpose="solution")
WARM = Prompt(ASKED, temperature=0.8, samples=2)
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def test_an_unseen_prompt_is_asked_once_and_kept(tmp_path: Path) -> None:
    model, kept = ScriptedModel(["seven"]), tmp_path / "kept.jsonl"
    drawn = DrawnModel(DrawBook(), model, keep_in=kept)
    assert (await drawn.complete(GREEDY)).text == (await drawn.complete(GREEDY)).text == "seven"
    assert (len(model.prompts), drawn.asked) == (1, 1)
    again = DrawnModel(DrawBook.read(kept))
    assert (await again.complete(GREEDY)).text == "seven"


async def test_samples_of_one_request_are_different_draws_and_a_new_one_starts_over() -> None:
    model = ScriptedModel([["a", "b"], ["c", "d"]])
    drawn = DrawnModel(DrawBook(), model)
    texts = [[one.text for one in (await drawn.complete(WARM)).samples] for _ in range(2)]
    assert texts == [["a", "b"], ["c", "d"]]
    drawn.begin()
    assert [one.text for one in (await drawn.complete(WARM)).samples] == ["a", "b"]
    assert len(model.prompts) == 2


async def test_what_is_missing_is_told_and_raises_without_a_model() -> None:
    missing: list[tuple[str, int]] = []
    book = DrawBook()
    book.add(draw_key(WARM), "", [Draw("a", 1)])
    drawn = DrawnModel(
        book, on_missing=lambda prompt, count: missing.append((prompt.purpose, count))
    )
    with pytest.raises(ModelUnavailable, match="1 samples of this prompt are not recorded"):
        await drawn.complete(WARM)
    assert missing == [("", 1)]


async def test_time_is_charged_by_tokens_and_what_was_read_before_is_not_read_again() -> None:
    book = DrawBook()
    book.add(draw_key(GREEDY), "", [Draw("x", 40)])
    drawn = DrawnModel(book, pace=ModelPace(read=10, write=20, write_together=40))
    first, second = [(await drawn.complete(GREEDY)).usage for _ in range(2)]
    assert (first.output_tokens, first.calls, first.cached_tokens) == (40, 1, 0)
    assert first.seconds == pytest.approx(first.prompt_tokens / 10 + 2)
    assert second.seconds == pytest.approx(2) and second.cached_tokens == second.prompt_tokens
    assert ModelPace(write=20, write_together=40).seconds(0, 40, 4) == 1


async def test_a_recorded_reply_of_another_form_is_nonsense_as_a_models_is() -> None:
    prompt = Prompt(ASKED, schema=NUMBER)
    book = DrawBook()
    book.add(draw_key(prompt), "", [Draw("many", 1)])
    with pytest.raises(ModelNonsense):
        await DrawnModel(book).complete(prompt)
    drawn = DrawnModel(DrawBook(), ScriptedModel(["many", '{"n": 7}']))
    with pytest.raises(ModelNonsense):
        await drawn.complete(prompt)
    with pytest.raises(ModelNonsense):  # and it is not asked again
        await drawn.complete(prompt)
    assert drawn.asked == 1


def test_a_recording_is_the_same_file_for_the_same_draws_and_a_broken_one_says_where(
    tmp_path: Path,
) -> None:
    book = DrawBook()
    book.add("k2", "tests", [Draw("é", 2)])
    book.add("k1", "solution", [Draw("a", 1), Draw("b", 360, "length")])
    book.write(tmp_path / "one.jsonl.gz")
    again = DrawBook.read(tmp_path / "one.jsonl.gz", tmp_path / "none.jsonl")
    again.write(tmp_path / "two.jsonl.gz")
    assert again.draws == book.draws
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()
    (tmp_path / "broken.jsonl").write_text('{"key": "k"}\n')
    with pytest.raises(ModelError, match=r"broken\.jsonl, line 1 holds no draws"):
        DrawBook.read(tmp_path / "broken.jsonl")


def test_the_number_of_samples_and_what_is_for_traces_name_no_other_prompt() -> None:
    same = Prompt(ASKED, temperature=0.8, samples=5, purpose="other", part="third")
    assert draw_key(same) == draw_key(WARM) != draw_key(GREEDY)
    assert draw_key(Prompt(ASKED, seed=4)) == draw_key(GREEDY)
