"""Stems, the word index, facets and schemas."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.search.facets import Facets, ParameterFacet, normal_schema
from hammerstone.library.search.text.stems import split_name, stem, stems
from hammerstone.library.search.text.words import WordIndex


@pytest.mark.parametrize(
    "family",
    [
        ("calculate", "calculates", "calculated", "calculating", "calculation", "calculator"),
        ("convert", "converts", "converting", "converter"),
        ("city", "cities"),
        ("hop", "hops", "hopping", "hopped"),
        ("recipe", "recipes"),
        ("translate", "translation", "translating"),
    ],
)
def test_a_family_of_words_has_one_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("weather", "wealth"), ("bus", "business"), ("news", "new"), ("gas", "ga")]
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other) or one == "news"


def test_names_fall_apart() -> None:
    assert split_name("parseDate") == split_name("parse_date") == "parse date"
    assert split_name("math.gcd") == "math gcd"
    assert split_name("HTTPServer") == "http server"


def test_stop_words_and_accents() -> None:
    assert stems("What is the Fläche of Zürich's café?") == stems("flache zurich cafe")


@given(st.text(max_size=200))
def test_any_text_has_stems(text: str) -> None:
    assert all(each for each in stems(text))


def test_sharing_more_scores_more_and_a_stranger_scores_nothing() -> None:
    index = WordIndex()
    for place, text in enumerate(["area triangle", "loan payment", "area circle"]):
        index.add(place, [(text.split(), 1.0)])
    scores = index.scores(["area", "triangle"], 3)
    assert 0 < scores[2] < scores[0] <= 1
    assert scores[1] == 0


def test_unknown_words_lower_the_share() -> None:
    index = WordIndex()
    index.add(0, [(["area", "triangle"], 1.0)])
    index.add(1, [(["loan"], 1.0)])
    assert index.scores(["area", "purple"], 2)[0] < index.scores(["area"], 2)[0]


def test_dropping_a_text_changes_the_statistics() -> None:
    index = WordIndex()
    index.add(0, [(["area"], 1.0)])
    index.add(1, [(["loan"], 1.0)])
    before = index.rarity("loan")
    index.drop(1, ["loan"])
    assert math.isfinite(index.rarity("loan"))
    assert index.rarity("loan") >= before


@given(st.text(max_size=40), st.text(max_size=80), st.text(max_size=20), st.text(max_size=40))
def test_facets_survive_their_text(name: str, description: str, key: str, about: str) -> None:
    schema = {
        "properties": {key: {"type": "integer", "description": about}, "b": {"type": "string"}},
        "required": [key],
    }
    facets = Facets.of(name, description, schema)
    parsed = Facets.parse(facets.text)
    assert (parsed.name, parsed.description) == (facets.name, facets.description)
    if "(" not in key:
        assert parsed.parameters == facets.parameters


def test_schemas_that_are_not_quite_json_schema() -> None:
    schema = {
        "type": "dict",
        "properties": {
            "x": {"type": "float"},
            "y": {"type": "array", "items": {"type": "tuple"}},
            "type": {"type": "any"},
        },
        "required": ["x"],
    }
    assert normal_schema(schema) == {
        "type": "object",
        "properties": {
            "x": {"type": "number"},
            "y": {"type": "array", "items": {"type": "array"}},
            "type": {},
        },
        "required": ["x"],
    }
    assert Facets.of("f", "", normal_schema(schema)).parameters[0] == ParameterFacet(
        "x", "number", True, ""
    )


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"a": 3}}])
def test_broken_schemas_have_no_parameters_to_trip_over(schema: dict[str, object]) -> None:
    assert Facets.of("f", "d", schema).name == "f"


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("the", "the"), ("gas", "gas"), ("2024s", "2024"), ("größes", "größes"),
        ("parties", "parti"), ("party", "parti"), ("ties", "tie"), ("play", "play"),
        ("classes", "class"), ("bus", "bus"), ("status", "status"), ("basis", "basis"),
        ("hopping", "hop"), ("falling", "fall"), ("buzzing", "buzz"), ("string", "string"),
        ("sized", "size"), ("enabled", "enabl"), ("rated", "rate"), ("bring", "bring"),
        ("organization", "organiz"), ("organisation", "organiz"), ("organise", "organiz"),
        ("conversational", "conversat"), ("calculator", "calculat"), ("measurement", "measur"),
        ("payment", "payment"), ("darkness", "dark"), ("readable", "read"), ("table", "tabl"),
        ("reader", "read"), ("user", "user"), ("translator", "translat"), ("quickly", "quick"),
        ("active", "activ"), ("density", "dens"), ("union", "union"), ("version", "vers"),
        ("decimal", "decim"), ("code", "code"), ("codes", "code"), ("recipe", "recip"),
    ],
)  # fmt: skip
def test_stems_word_by_word(word: str, found: str) -> None:
    assert stem(word) == found


def test_scripts_without_blanks_are_pairs_of_neighbours() -> None:
    assert stems("東京都") == ["東京", "京都"]
    assert stems("水") == ["水"]


def test_single_letters_say_nothing_and_single_digits_do() -> None:
    assert stems("b 7 c 12") == ["7", "12"]
