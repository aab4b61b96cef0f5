"""The parts of search that are plain arithmetic: facets, word scores, ranking, measures, fit."""

import math
from typing import Any

import numpy as np
import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.library.search.facets import Facets, ParameterFacet, normal_schema
from hammerstone.library.search.fit.gate import NAMES, FitGate, shipped_gate
from hammerstone.library.search.fit.measures import Quality, auroc, calibration_error
from hammerstone.library.search.fit.signals import Signals, read_signals
from hammerstone.library.search.hits import Band, Fit, Hit
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import RankedTool, Ranker, Weights
from hammerstone.library.search.text.words import K1, WordIndex


def facet(kind: str, *, required: bool = True, name: str = "n") -> ParameterFacet:
    return ParameterFacet(name, kind, required, "about it")


SCHEMA: JsonObject = {
    "properties": {
        "start_day": {"type": "string", "description": "the  first\nday"},
        "count": {"type": ["null", "integer"]},
        "odd": {"type": 5},
    },
    "required": ["start_day"],
}


def test_a_tool_as_search_sees_it() -> None:
    facets = Facets.of("addDays", "Adds\n days.", SCHEMA, ["add 5 days"])
    assert facets.description == "Adds days."
    assert facets.parameters == (
        ParameterFacet("start_day", "string", True, "the first day"),
        ParameterFacet("count", "integer", False, ""),
        ParameterFacet("odd", "any", False, ""),
    )
    lines = facets.text.split("\n")
    assert lines[:5] == [
        "addDays",
        "Adds days.",
        "- start_day (string, required): the first day",
        "- count (integer): ",
        "- odd (any): ",
    ]
    assert lines[5].startswith("? ") and len(lines) == 6
    assert Facets.parse(facets.text) == facets
    description, whole, name, request = facets.embedded()
    assert (description, name, request) == ("Adds days.", "add days", facets.requests[0])
    assert whole == "add days. Adds days. start day: the first day; count: ; odd:"
    assert facets.weighted_texts() == (
        ("add days", 1.0), ("Adds days.", 1.0), ("start day count odd", 1.0),
        ("the first day  ", 0.6),
    )  # fmt: skip
    assert Facets("addDays", "").embedded()[0] == "add days"


@pytest.mark.parametrize(
    ("parameters", "numbers"),
    [
        ((), (0.0, math.inf)),
        ((facet("number"),), (1.0, 1.0)),
        ((facet("integer"), facet("number", required=False)), (1.0, 2.0)),
        ((facet("number"), facet("array")), (1.0, math.inf)),
        ((facet("string"),), (0.0, 0.0)),
        ((facet("any", required=False),), (0.0, math.inf)),
    ],
)
def test_how_many_numbers_a_tool_takes(
    parameters: tuple[ParameterFacet, ...], numbers: tuple[float, float]
) -> None:
    assert Facets("f", "", parameters).numbers == numbers


def test_schemas_of_function_calling_sets_are_put_right() -> None:
    odd: JsonObject = {
        "type": "dict",
        "properties": {
            "type": {"type": "Float", "description": "x"},
            "items": {"type": "tuple", "items": {"type": "any"}},
            "flag": True,
        },
    }
    assert normal_schema(odd) == {
        "type": "object",
        "properties": {
            "type": {"type": "number", "description": "x"},
            "items": {"type": "array", "items": {}},
            "flag": True,
        },
    }


def index(*texts: str) -> WordIndex:
    made = WordIndex()
    for place, text in enumerate(texts):
        made.add(place, [(text.split(), 1.0)])
    return made


def test_rare_words_tell_more_and_an_unused_one_most() -> None:
    words = index("tea cup", "tea pot", "tea")
    assert [words.uses(word) for word in ("tea", "cup", "none")] == [3, 1, 0]
    assert words.rarity("tea") == pytest.approx(math.log(1 + 0.5 / 3.5))
    assert words.rarity("cup") == pytest.approx(math.log(1 + 2.5 / 1.5))
    assert words.rarity("none") == pytest.approx(math.log(1 + 3.5 / 0.5))
    words.drop(0, ["tea", "cup"])
    assert [words.uses(word) for word in ("tea", "cup")] == [2, 0]
    assert words.rarity("cup") == pytest.approx(math.log(1 + 2.5 / 0.5))


def test_the_score_of_words() -> None:
    words = index("tea", "tea cup pot box")
    short, long = words.scores(["tea"], 2).tolist()
    average = 2.5
    assert short == pytest.approx(1 / (1 + K1 * (0.7 + 0.3 / average * 1)))
    assert long == pytest.approx(1 / (1 + K1 * (0.7 + 0.3 / average * 4)))
    half = words.scores(["tea", "none"], 2)[0]
    share = words.rarity("tea") / (words.rarity("tea") + words.rarity("none"))
    assert half == pytest.approx(short * share)
    assert words.scores([], 2).tolist() == [0.0, 0.0]
    # Repeats count, up to three of them.
    thrice = words.scores(["none"] + ["tea"] * 3, 2)[0]
    assert thrice == pytest.approx(words.scores(["none"] + ["tea"] * 9, 2)[0])
    assert thrice > words.scores(["none", "tea", "tea"], 2)[0]


def test_weights_and_places_of_texts() -> None:
    words = WordIndex()
    words.add(2000, [(["tea"], 1.0), (["tea", "cup"], 0.5)])
    scores = words.scores(["tea"], 2001)
    assert scores[2000] == pytest.approx(1.5 / (1.5 + K1 * 1.0))
    assert scores[:2000].max() == 0


def shelf(*tools: tuple[str, str]) -> Catalog:
    catalog = Catalog()
    for name, description in tools:
        parameters = (facet("number"),) if "numbers" in description else (facet("string"),)
        catalog.put(Facets(name, description, parameters), None)
    return catalog


def test_tools_in_the_order_of_relevance() -> None:
    catalog = shelf(("tea", "makes tea"), ("pot", "holds tea"), ("box", "holds numbers"))
    ranker = Ranker(catalog, Weights())
    found = ranker.rank("tea", None, 3)
    assert [one.name for one in found] == ["tea", "pot", "box"]
    assert found[0].relevance == pytest.approx(0.7 * found[0].words / 1.7)
    assert (found[0].cosine, found[0].learned) == (None, 0.0)
    assert [one.name for one in ranker.rank("tea", None, 1)] == ["tea"]
    allowed = np.array([catalog.places["pot"]], np.intp)
    assert [one.name for one in ranker.rank("tea", None, 3, None, allowed)] == ["pot"]
    assert Weights(2.0, 0.5).whole == 2.5


def test_equal_tools_by_name() -> None:
    ranker = Ranker(shelf(("b", "tea"), ("a", "tea")), Weights())
    assert [one.name for one in ranker.rank("tea", None, 2)] == ["a", "b"]


def test_a_number_that_is_missing_costs_a_share() -> None:
    ranker = Ranker(shelf(("count", "numbers of tea"), ("tea", "numbers of tea")), Weights())
    without = {one.name: one for one in ranker.rank("numbers of tea", None, 2)}
    given = {one.name: one for one in ranker.rank("numbers of tea 5", None, 2)}
    assert without["tea"].unfilled == pytest.approx(0.1)
    assert given["tea"].unfilled == 0.0


def test_how_good_an_order_is() -> None:
    quality = Quality([0.1, 0.2, 0.3])
    quality.add(["a", "b", "c"], frozenset({"b"}))
    quality.add(["a", "b", "c"], frozenset({"a", "c"}))
    quality.add(["a"], frozenset({"z"}))
    second = 1 / math.log2(3)
    both = (1 + 1 / math.log2(4)) / (1 + second)
    assert quality.to_json() == {
        "recall_at_1": round((0 + 1 + 0) / 3, 4),
        "recall_at_3": round((1 + 1 + 0) / 3, 4),
        "recall_at_5": round((1 + 1 + 0) / 3, 4),
        "mrr_at_10": round((0.5 + 1 + 0) / 3, 4),
        "ndcg_at_10": round((second + both + 0) / 3, 4),
        "p50_ms": 200.0,
        "p95_ms": 300.0,
    }


def test_a_right_tool_beyond_the_tenth_place_counts_nothing() -> None:
    quality = Quality()
    quality.add([*"abcdefghij", "z"], frozenset({"z"}))
    assert quality.to_json()["mrr_at_10"] == 0.0
    quality.add([*"abcdefghi", "z"], frozenset({"z"}))
    assert quality.to_json()["mrr_at_10"] == round(0.1 / 2, 4)
    assert quality.to_json()["p50_ms"] == 0.0


@pytest.mark.parametrize(
    ("probabilities", "fits", "value"),
    [
        ([0.1, 0.9], [False, True], 1.0),
        ([0.9, 0.1], [False, True], 0.0),
        ([0.5, 0.5], [False, True], 0.5),
        ([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75),
        ([0.2, 0.5, 0.5, 0.9], [False, True, False, True], 0.875),
    ],
)
def test_whether_what_fits_scores_higher(
    probabilities: list[float], fits: list[bool], value: float
) -> None:
    assert auroc(probabilities, fits) == pytest.approx(value)


def test_one_kind_alone_says_nothing() -> None:
    assert math.isnan(auroc([0.1, 0.9], [True, True]))
    assert math.isnan(auroc([0.1, 0.9], [False, False]))


@pytest.mark.parametrize(
    ("probabilities", "fits", "error"),
    [
        ([1.0, 1.0], [True, True], 0.0),
        ([0.0, 1.0], [True, False], 1.0),
        ([0.25, 0.25, 0.25, 0.25], [True, False, False, False], 0.0),
        ([0.95, 0.95, 0.05, 0.05], [True, False, False, False], 0.25),
    ],
)
def test_how_far_probabilities_are_off(
    probabilities: list[float], fits: list[bool], error: float
) -> None:
    assert calibration_error(probabilities, fits) == pytest.approx(error)


def signals(**values: float) -> Signals:
    return Signals(**{**dict.fromkeys(NAMES, 0.0), **values})


def test_a_probability_is_a_logistic_sum() -> None:
    gate = FitGate(-1.0, tuple(2.0 if name == "words" else 0.0 for name in NAMES))
    assert gate.probability(signals(words=0.5)) == pytest.approx(0.5)
    assert gate.probability(signals(words=1.0)) == pytest.approx(1 / (1 + math.exp(-1)))
    certain = FitGate(1e6, gate.weights)
    assert certain.probability(signals()) == pytest.approx(1 / (1 + math.exp(-30)))
    assert FitGate(-1e6, gate.weights).probability(signals()) > 0
    assert FitGate.from_json(gate.to_json()) == gate
    assert FitGate.from_json({"bias": 1}) == FitGate(1.0, (0.0,) * len(NAMES))


def test_a_gate_learns_what_tells_fits_apart() -> None:
    seen = [signals(words=n / 10, past=1 - n / 10, cosine=0.5) for n in range(11)]
    fits = [n > 5 for n in range(11)]
    gate = FitGate.fitted(seen, fits)
    assert gate.probability(seen[10]) > 0.7 > 0.3 > gate.probability(seen[0])
    named = dict(zip(NAMES, gate.weights, strict=True))
    assert named["words"] > 0
    assert named["past"] == 0.0  # having answered before never speaks against a tool
    words_only = dict(zip(NAMES, FitGate.fitted(seen, fits, meaning=False).weights, strict=True))
    assert (words_only["cosine"], words_only["margin"], words_only["lead"]) == (0.0, 0.0, 0.0)
    near = FitGate(0.0, tuple(-9.0 if name == "words" else 0.0 for name in NAMES))
    held = dict(zip(NAMES, FitGate.fitted(seen, fits, near=near).weights, strict=True))
    assert held["words"] < named["words"]
    with pytest.raises(BadRequest, match="decisions of both kinds"):
        FitGate.fitted(seen[:3], fits[:3])


def test_the_shipped_gates_differ() -> None:
    assert shipped_gate(meaning=True) != shipped_gate(meaning=False)


def ranked(name: str, relevance: float, **more: Any) -> RankedTool:
    return RankedTool(name, relevance, **{"cosine": 0.4, "words": 0.3, "learned": 0.0, **more})


def test_what_speaks_for_the_best_hit() -> None:
    catalog = shelf(("tea_cup", "counts numbers of tea"), ("pot", "holds water"))
    others = [ranked("x", 0.5 - n / 100) for n in range(7)]
    found = read_signals("count tea cups in oslo", ranked("tea_cup", 0.6), others, catalog, 0.7)
    assert (found.cosine, found.words, found.past) == (0.4, 0.3, 0.7)
    assert found.margin == pytest.approx(0.1)
    assert found.lead == pytest.approx(0.6 - 0.48)  # the mean of the next five
    assert found.name_said == pytest.approx(1.0)
    assert found.words_known == pytest.approx(3 / 4)
    assert found.rarest_untold == pytest.approx(1.0)  # nobody says oslo
    assert (found.numbers_missing, found.values_missing) == (1.0, 0.0)
    alone = read_signals("tea 5", ranked("tea_cup", 0.6, cosine=None), [], catalog, 0.0)
    assert (alone.margin, alone.lead, alone.cosine) == (0.15, 0.3, 0.0)
    assert (alone.numbers_missing, alone.values_missing) == (0.0, 0.0)
    assert alone.rarest_untold == pytest.approx(catalog.rarity("5") / catalog.rarity(""))
    nothing = read_signals("", ranked("tea_cup", 0.6), [], catalog, 0.0)
    assert (nothing.words_known, nothing.request_told, nothing.rarest_untold) == (0.0, 0.0, 0.0)


def test_a_score_in_a_sentence() -> None:
    plain = Hit("f", 0.5, 0.456, None, 0.123)
    assert plain.explanation == "relevance 0.46, words 0.12"
    near = Hit("f", 0.5, 0.456, 0.789, 0.123, considered=False)
    assert "meaning 0.79" in near.explanation
    assert Fit(0.12345, Band.LOW, None).to_json() == {
        "probability": 0.1235, "band": "low", "signals": None,
    }  # fmt: skip
