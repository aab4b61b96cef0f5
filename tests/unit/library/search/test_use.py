"""What a tool needs and how it was used: both move it up or down."""

import pytest

from hammerstone.library.search.facets import Facets, ParameterFacet
from hammerstone.library.search.fit.signals import Signals, read_signals
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.index.loaded_index import UseRecord
from hammerstone.library.search.ranking import Ranker, Weights
from hammerstone.library.search.text.request_text import count_numbers, count_values


def needing(name: str, *numbers: str) -> Facets:
    parameters = tuple(ParameterFacet(each, "number", True, "") for each in numbers)
    return Facets(name, "The derivative of a function.", parameters)


@pytest.mark.parametrize(
    ("request_", "numbers", "values"),
    [
        ("area with base 3 and height 4.5", 2, 0),
        ("convert $1,500 to euros", 1, 0),
        ("two sides of ten metres", 2, 0),
        ("the weather in Oslo", 0, 1),
        ("translate 'good day' for bob@example.org", 0, 2),
        ("plot [1, 2, 3]", 3, 1),
        ("", 0, 0),
    ],
)
def test_what_a_request_gives(request_: str, numbers: int, values: int) -> None:
    assert count_numbers(request_) == numbers
    assert count_values(request_) == values


def test_a_tool_that_lacks_numbers_stands_behind_its_equal() -> None:
    catalog = Catalog()
    catalog.put(needing("a_derivative_at", "x", "h"), None)
    catalog.put(needing("b_derivative"), None)
    ranker = Ranker(catalog, Weights())
    first, second = ranker.rank("derivative of the function sin", None, 2)
    assert (first.name, second.name) == ("b_derivative", "a_derivative_at")
    assert second.unfilled == pytest.approx(0.2)
    given = {hit.name: hit for hit in ranker.rank("derivative of sin at 2 with 0.1", None, 2)}
    assert given["a_derivative_at"].unfilled == 0
    indifferent = Ranker(catalog, Weights(unfilled=0.0))
    assert all(hit.unfilled == 0 for hit in indifferent.rank("derivative", None, 2))


def test_numbers_that_nothing_takes_count_little_and_lists_take_any() -> None:
    assert needing("n", "x").numbers == (1.0, 1.0)
    listed = Facets("l", "", (ParameterFacet("values", "array", True, ""),))
    assert listed.numbers == (0.0, float("inf"))
    assert Facets("none", "").numbers == (0.0, float("inf"))


def test_success_is_smoothed_and_use_saturates() -> None:
    new = UseRecord.of(0, 0, 0)
    assert (new.success, new.frequency) == (pytest.approx(0.8), 0.0)
    assert UseRecord.of(1, 0, 1).success > 0.6
    assert UseRecord.of(100, 10, 90).success < 0.2
    assert UseRecord.of(100, 0, 0).success == new.success  # uses that nobody judged say nothing
    assert UseRecord.of(10**6, 10**6, 0).frequency == 1.0


def read(catalog: Catalog, request: str) -> Signals:
    best, *others = Ranker(catalog, Weights()).rank(request, None, 6)
    return read_signals(request, best, others, catalog, 0.0)


def test_signals_see_unknown_words_and_what_the_tool_leaves_out() -> None:
    catalog = Catalog()
    for name, about in (("area", "Area of a triangle."), ("loan", "Payment of a loan.")):
        catalog.put(Facets(name, about), None)
    clear, odd = read(catalog, "area of a triangle"), read(catalog, "area of a zeppelin")
    assert clear.words_known == 1.0
    assert odd.words_known == 0.5
    assert clear.rarest_untold == 0.0
    assert odd.rarest_untold == pytest.approx(1.0)
    assert clear.lead > 0


def test_what_is_taken_out_of_a_catalog_comes_back_as_it_was() -> None:
    catalog = Catalog()
    for name, about in (("area", "Area of a triangle."), ("loan", "Payment of a loan.")):
        catalog.put(Facets(name, about), None)
    before = catalog.rarity("area"), Ranker(catalog, Weights()).rank("area", None, 5)
    copy = catalog.copy()
    with copy.without({"area", "unknown"}):
        assert "area" not in copy
        assert not copy.knows("triangle")
        assert "area" in catalog
    for each in (catalog, copy):
        assert (each.rarity("area"), Ranker(each, Weights()).rank("area", None, 5)) == before
