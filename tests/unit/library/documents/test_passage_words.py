"""What the words of a passage say for a question."""

from hammerstone.library.documents.passage_index import PassageIndex, pairs_said
from hammerstone.library.search.text.stems import stems
from hammerstone.storage.stores.library.documents import ChunkRow


def _index(*texts: str) -> PassageIndex:
    index = PassageIndex()
    for number, text in enumerate(texts, 1):
        index.add(ChunkRow(0, "", text, 1, 0, False, id=number), None)
    return index


def test_rare_words_of_a_question_count_more() -> None:
    index = _index("the port of the server", "the name of the server", "a server waits")
    asked = stems("server port")
    assert index.said(asked, {"server"}) < index.said(asked, {"port"})
    assert index.said(asked, set(asked)) == 1.0
    assert index.said(asked, set()) == index.said([], {"port"}) == 0.0


def test_words_beside_each_other_count_as_pairs() -> None:
    asked = stems("default weight of a glob")
    assert pairs_said(asked, stems("The default weight is 50.")) == 0.5
    assert pairs_said(asked, stems("A weight by default, of globs.")) == 0.0
    assert pairs_said(stems("glob"), stems("glob")) == 0.0
