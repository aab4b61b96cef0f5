"""Chunks in memory, compared with looking at every one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.library.documents.passage_index import PassageIndex
from hammerstone.library.search.text.stems import stems
from hammerstone.storage.stores.library.documents import ChunkRow

TEXTS = ["the port of the server", "the name of a server", "a printer waits", "paper and ink"]


def unit(place: int) -> np.ndarray:
    vector = np.zeros(4, np.float32)
    vector[place] = 1
    return vector


def filled(*texts: str, vectors: bool = True) -> PassageIndex:
    index = PassageIndex()
    for number, text in enumerate(texts):
        chunk = ChunkRow(0, "", text, 1, id=number + 1, document_id=number % 2)
        index.add(chunk, unit(number % 4) if vectors else None)
    return index


def best(index: PassageIndex, question: str, near: int | None = None, limit: int = 9) -> list[int]:
    vector = None if near is None else unit(near)
    return index.best(stems(question), vector, (1.0, 0.7), limit)


def test_the_nearest_come_first_by_words_and_by_meaning() -> None:
    index = filled(*TEXTS)
    assert best(index, "server port")[0] == 1
    assert best(index, "printer")[0] == 3
    assert best(index, "nothing of it", near=3)[0] == 4
    assert best(index, "server port", near=3)[:2] == [4, 1]
    assert best(index, "server", limit=2) == best(index, "server")[:2]
    assert best(PassageIndex(), "server") == []


def test_of_equals_the_first_stays_first() -> None:
    assert best(filled("one", "one", "one"), "one") == [1, 2, 3]


def test_a_question_of_another_space_is_compared_by_words() -> None:
    index = filled(*TEXTS)
    asked = stems("server port")
    assert index.best(asked, np.ones(7, np.float32), (1.0, 0.7), 9) == best(index, "server port")


def test_only_the_chosen_documents() -> None:
    index = filled(*TEXTS)
    found = index.best(stems("server port"), None, (1.0, 0.7), 9, frozenset({1}))
    assert found == [2, 4]
    assert index.best(stems("server"), None, (1.0, 0.7), 9, frozenset()) == []


def test_what_is_dropped_is_gone_and_what_is_late_gets_its_vector() -> None:
    index = filled(*TEXTS, vectors=False)
    assert (index.bare, index.newest, len(index)) == ({1, 2, 3, 4}, 4, 4)
    index.give_vector(3, unit(2))
    assert index.bare == {1, 2, 4} and best(index, "server", near=2)[0] == 3
    index.drop(3)
    index.drop(1)
    assert (index.ids, index.bare, index.newest) == ({2, 4}, {2, 4}, 4)
    assert set(best(index, "server port printer", near=2)) == {2, 4}


def test_many_chunks_keep_their_words_and_vectors() -> None:
    index = filled(*(f"word{n}" for n in range(700)))
    assert best(index, "word3")[0] == 4 and best(index, "word650")[0] == 651
    assert len(index) == 700 and not index.bare


words = st.lists(st.sampled_from(["port", "server", "name", "ink", "paper"]), max_size=6)


@given(words, words)
def test_shares_are_shares(question: list[str], said: list[str]) -> None:
    index = filled(*TEXTS)
    all_of_it = index.said(question, set(said))
    assert 0 <= all_of_it <= 1 + 1e-9
    assert (all_of_it == 0) == (not set(question) & set(said))
    if question:
        assert (all_of_it > 1 - 1e-9) == (set(question) <= set(said))
    share = index.share(question, said)
    assert 0 <= share <= 1
    assert (share == 0) == (not set(question) & set(said))
    longer = index.share(question, [*said, *["other"] * 50])
    assert longer <= share and (longer < share) == (share > 0)


@settings(deadline=None)
@given(st.integers(0, 3_000), st.sampled_from(["alpha", "x7", "数", "7"]))
def test_every_word_of_a_chunk_is_found_however_long_it_is(count: int, word: str) -> None:
    index = filled("something else", f"{(word + ' ') * count}omega")
    assert best(index, "omega") == [2, 1]
