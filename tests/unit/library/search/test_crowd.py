"""The best hit of a small library is held against the shipped tools."""

import numpy as np
import pytest

from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit import signals
from hammerstone.library.search.fit.signals import FEW, rivals
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import Weights


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    catalog = Catalog()
    catalog.put(Facets("slugify", "A slug of a text."), unit(0.2, 1, 0))
    catalog.put(Facets("title_case", "Capital letters."), unit(1, 0.05, 0))
    monkeypatch.setattr(signals, "_shipped", lambda space: catalog if space == "s" else None)
    return catalog


def library(tools: int) -> Catalog:
    catalog = Catalog()
    catalog.set_centre(np.zeros(3, np.float32))
    catalog.put(Facets("capitalize", "Words in capitals."), unit(1, 0, 0))
    for number in range(tools - 1):
        catalog.put(Facets(f"other_{number}", "Something else."), unit(0, 0, 1))
    return catalog


def names(catalog: Catalog, space: str = "s") -> list[str]:
    asked = unit(0.5, 0.5, 0)
    found = rivals(catalog, Weights(), space, "turn a text into a slug", asked, "capitalize")
    return [each.name for each in found]


def test_shipped_tools_compete_where_a_library_has_few(shipped: Catalog) -> None:
    assert names(library(2)) == ["slugify"]  # the other one is a copy of what was found


def test_a_larger_library_is_crowd_enough(shipped: Catalog) -> None:
    assert names(library(FEW)) == []


def test_nothing_competes_that_was_embedded_elsewhere_or_is_there(shipped: Catalog) -> None:
    assert names(library(2), space="t") == []
    own = library(2)
    own.put(Facets("slugify", "My slug of a text."), unit(0, 1, 0))
    assert names(own) == []
