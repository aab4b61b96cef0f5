"""What past requests teach: the same words, the nearest past, and corrections of the order."""

from collections.abc import Iterator

import numpy as np
import pytest

from hammerstone.library.search.experience import (
    Experience,
    Floats,
    PastOutcome,
    PastRequest,
)
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.text.request_text import wording

NAMES = ["miles", "mean", "sort", "dates", "loan"]
CONVERT = "convert 5 miles to kilometers"


def unit(place: int, size: int = 8) -> Floats:
    vector = np.zeros(size, np.float32)
    vector[place] = 1
    return vector


@pytest.fixture
def catalog() -> Catalog:
    made = Catalog()
    for place, name in enumerate(NAMES):
        made.put(Facets.of(name, f"What {name} does.", {}), unit(place))
    return made


numbers: Iterator[int] = iter(range(10_000))


def past(
    request: str, tool: str, lesson: PastOutcome = PastOutcome.ANSWERED, place: int = 6
) -> PastRequest:
    return PastRequest(f"k{next(numbers)}", request, tool, lesson, unit(place))


def knowing(*told: PastRequest) -> Experience:
    experience = Experience()
    for one in told:
        experience.add(one)
    return experience


def flat(_request: str, _vector: Floats) -> Floats:
    return np.full(len(NAMES), 0.3, np.float32)


def shifts(experience: Experience, catalog: Catalog, vector: Floats) -> dict[str, float]:
    experience.train(catalog, flat)
    places, gains = experience.shifts("please do it", vector, catalog, flat("", vector))
    named = [catalog.name_at(int(place)) for place in places]
    return {str(name): float(gain) for name, gain in zip(named, gains, strict=True)}


WRONG, CHOSEN = PastOutcome.WRONG, PastOutcome.CHOSEN


@pytest.mark.parametrize(
    ("told", "typical", "expected"),
    [
        ([], set(), None),
        ([], {"miles"}, "miles"),
        ([], {"miles", "mean"}, None),
        ([past(CONVERT, "miles")], set(), "miles"),
        ([past(CONVERT, "miles")], {"mean"}, "miles"),
        ([past("convert 71 miles to kilometers", "miles")], set(), "miles"),
        ([past("turn 5 miles round, please do", "miles")], set(), None),
        ([past(CONVERT, "miles"), past(CONVERT, "mean", CHOSEN)], set(), None),
        ([past(CONVERT, "miles"), past(CONVERT, "mean", WRONG)], set(), "miles"),
        ([past(CONVERT, "miles"), past(CONVERT, "miles", WRONG)], set(), None),
        ([past(CONVERT, "miles", WRONG)], {"miles"}, None),
    ],
)
def test_the_one_tool_for_the_same_words(
    told: list[PastRequest], typical: set[str], expected: str | None
) -> None:
    assert knowing(*told).same_wording(CONVERT, typical) == expected


def test_only_tools_that_are_present_count_for_the_same_words() -> None:
    experience = knowing(past(CONVERT, "miles"), past(CONVERT, "gone"))
    assert experience.same_wording(CONVERT, set()) is None
    assert experience.same_wording(CONVERT, set(), {"miles"}) == "miles"
    assert experience.same_wording(CONVERT, set(), {"sort"}) is None


def test_answers_to_the_same_words_are_counted_and_forgotten() -> None:
    told = [past(f"convert {n} miles to kilometers", "miles") for n in range(3)]
    wrong = past(CONVERT, "miles", WRONG)
    experience = knowing(*told, wrong, past(CONVERT, "mean"))
    present, words = {"miles"}, wording(CONVERT)
    assert experience.known_tool(words, 3, present) is None  # it was wrong once
    experience.forget([wrong.key])
    assert experience.known_tool(words, 3, present) == "miles"
    assert experience.known_tool(words, 4, present) is None
    assert experience.known_tool(words, 1, {"mean"}) == "mean"
    assert experience.known_tool(words, 1, {"miles", "mean"}) is None  # two of them
    assert experience.known_tool(wording("sort the rows by name"), 1, present) is None
    assert experience.known_tool("", 0, present) is None
    assert [one.key for one in experience.of_tool("miles")][:3] == [one.key for one in told]
    experience.dirty = False
    experience.forget(["nobody knows it"])
    assert not experience.dirty
    experience.forget([told[0].key, told[0].key])
    assert experience.dirty and experience.known_tool(words, 3, present) is None
    assert experience.known_tool(words, 2, present) == "miles"


def test_the_nearest_past_of_a_tool(catalog: Catalog) -> None:
    experience = knowing(past("x", "miles", place=6), past("y", "mean", place=7))
    assert experience.nearest(unit(6), "miles") == 0.0  # nothing is trained
    experience.train(catalog, flat)
    assert experience.nearest(unit(6), "miles") == pytest.approx(1.0)
    assert experience.nearest(unit(6), "mean") == pytest.approx(0.0)
    assert experience.nearest(unit(6), "sort") == experience.nearest(unit(2, 3), "miles") == 0.0


def test_a_request_near_a_past_is_drawn_to_its_tool(catalog: Catalog) -> None:
    experience = knowing(*(past("sum it up", "miles", place=6) for _ in range(4)))
    near, far = (shifts(experience, catalog, unit(place)) for place in (6, 7))
    assert near["miles"] > 0 and near["miles"] > far["miles"]
    assert all(gain <= 0 for name, gain in near.items() if name != "miles")
    assert all(abs(gain) < 1e-6 for name, gain in near.items() if name != "miles")
    assert not experience.dirty


def test_what_a_person_chose_weighs_more_than_an_answer(catalog: Catalog) -> None:
    answered = shifts(knowing(past("sum it up", "miles")), catalog, unit(6))
    chosen = shifts(knowing(past("sum it up", "miles", CHOSEN)), catalog, unit(6))
    assert chosen["miles"] > answered["miles"] > 0


def test_a_tool_that_was_only_ever_wrong_loses_and_wins_nowhere(catalog: Catalog) -> None:
    experience = knowing(*(past("sum it up", "mean", WRONG) for _ in range(3)))
    assert shifts(experience, catalog, unit(6))["mean"] < 0
    assert shifts(experience, catalog, -unit(6))["mean"] <= 0


def test_of_two_tools_with_a_past_the_nearer_one_leads(catalog: Catalog) -> None:
    told = [past("a", "miles", place=6) for _ in range(3)]
    told += [past("b", "mean", place=7) for _ in range(3)]
    experience = knowing(*told)
    assert (found := shifts(experience, catalog, unit(6)))["miles"] > found["mean"]
    assert (found := shifts(experience, catalog, unit(7)))["mean"] > found["miles"]


def test_what_is_forgotten_teaches_nothing(catalog: Catalog) -> None:
    told = past("sum it up", "miles")
    experience = knowing(told)
    assert shifts(experience, catalog, unit(6))
    experience.forget([told.key])
    assert shifts(experience, catalog, unit(6)) == {}


def test_tools_that_are_gone_and_vectors_of_another_space_change_nothing(catalog: Catalog) -> None:
    experience = knowing(past("sum it up", "miles"), past("sum it up", "gone"))
    assert "gone" not in shifts(experience, catalog, unit(6))
    places, gains = experience.shifts("sum", unit(0, 3), catalog, flat("", unit(0)))
    assert len(places) == len(gains) == 0
    catalog.remove("miles")
    places, _ = experience.shifts("sum", unit(6), catalog, np.full(20, 0.3, np.float32))
    assert "miles" not in {catalog.name_at(int(place)) for place in places}
