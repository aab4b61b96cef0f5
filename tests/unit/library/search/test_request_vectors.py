"""The vectors of requests: the centre is read once, and an embedder that fails is no crash."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hammerstone.core.errors import ModelUnavailable
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.request_vectors import RequestVectors


class Around:
    """An embedder and the catalog whose centre it gives."""

    space, dimensions = "none of ours", 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.centres: list[Any] = []
        self.broken = ""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append([*texts])
        if self.broken:
            raise ModelUnavailable(self.broken)
        return [[float(len(text)), 1.0] for text in texts]

    def set_centre(self, centre: Any) -> None:
        self.centres.append(centre)

    async def close(self) -> None:
        pass

    @property
    def vectors(self) -> RequestVectors:
        return RequestVectors(cast(Any, self), cast(Any, self), "")


async def test_without_an_embedder_there_are_no_vectors() -> None:
    vectors = RequestVectors(None, cast(Any, Around()), "no model")
    assert await vectors.of("double 5") is None
    assert await vectors.of_tool(Facets("double", "Twice.")) is None
    assert vectors.missing == "no model"


async def test_the_centre_is_read_before_the_first_request_and_once() -> None:
    around = Around()
    vectors = around.vectors
    first, second = await vectors.of("a"), await vectors.of("abc")
    assert first is not None and second is not None
    assert len(around.centres) == 1
    assert around.asked[-2:] == [["a"], ["abc"]]
    assert not np.allclose(first, second)


async def test_what_is_expected_is_embedded_once() -> None:
    around = Around()
    vectors = around.vectors
    vectors.expect("double 5")
    vectors.expect("double 5")
    await vectors.of("double 5")
    assert [texts for texts in around.asked if texts == ["double 5"]] == [["double 5"]]
    await vectors.close()


async def test_an_embedder_that_fails_is_told_until_it_works_again() -> None:
    around = Around()
    vectors = around.vectors
    around.broken = "out of memory"
    assert await vectors.of("double 5") is None
    assert await vectors.of_tool(Facets("double", "Twice a number.")) is None
    assert (vectors.missing, around.centres) == ("out of memory", [])
    around.broken = ""
    assert await vectors.of("double 5") is not None
    assert (vectors.missing, len(around.centres)) == ("", 1)


async def test_a_tool_without_a_vector_says_why() -> None:
    around = Around()
    vectors, around.broken = around.vectors, "out of memory"
    assert await vectors.of_tool(Facets("double", "Twice a number.")) is None
    assert vectors.missing == "out of memory"


async def test_what_is_under_way_is_waited_for_when_it_closes() -> None:
    around = Around()
    vectors = around.vectors
    vectors.expect("double 5")
    await vectors.close()
    assert ["double 5"] in around.asked
