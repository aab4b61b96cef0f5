"""Requests in the words that search reads best."""

from hammerstone.run.find.discover import in_search_words


def test_search_reads_signs_as_words_and_leaves_data_out() -> None:
    assert in_search_words("10% of [1, 2]") == "10 percent of [1, 2]"
    assert in_search_words('sort [{"a": 1}, {"a": 2}] by a') == "sort the rows of a table by a"
