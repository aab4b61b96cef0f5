"""Requests and libraries that nobody would wish for."""

import time
from pathlib import Path

import pytest

from hammerstone.core.tools import Status
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.ranking import Ranker, Weights
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.models.embedding.local import LocalEmbedder
from hammerstone.models.pull.model_files import MINILM_ONNX, MINILM_TOKENIZER
from hammerstone.storage import Database
from tests.unit.library.search.conftest import TOOLS, register, tool


async def test_an_empty_library_finds_nothing_and_nothing_fits(db: Database) -> None:
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    assert await search.find("anything") == []
    assert (await search.fit("anything", [])).probability == 0.0
    assert await search.catch_up() == 0
    await search.remove("nothing")


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00"])
async def test_an_empty_query_is_no_query(search: ToolSearch, query: str) -> None:
    hits = await search.find(query)
    assert hits == [] or all(hit.words == 0 for hit in hits)


async def test_a_query_of_100_kb_is_answered_at_once(db: Database, search: ToolSearch) -> None:
    query = "area of a triangle " + "lorem ipsum dolor " * 6_000
    words_only = ToolSearch(db, None, Policies(db))
    assert (await words_only.find(query))[0].name == "triangle_area"
    began = time.process_time()
    hits = await search.find(query)
    assert time.process_time() - began < 2.0
    assert len(hits) == 5
    assert 0.0 <= (await search.fit(query, hits)).probability <= 1.0


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE entries; --",
        'triangle" OR 1=1 --',
        'NEAR("triangle" "area", 5) AND NOT x*',
        "triangle:area ^ (a AND b",
        "tool/triangle_area past/%2F",
        "{}[]()*?\\^$|+.",
        "%_%",
    ],
)
async def test_syntax_of_databases_is_text(search: ToolSearch, query: str) -> None:
    await search.find(query)
    assert (await search.find("area of a triangle"))[0].name == "triangle_area"


@pytest.mark.parametrize(
    ("name", "description", "query"),
    [
        ("dreieck", "Berechnet die Fläche eines Dreiecks.", "Fläche eines Dreiecks"),
        ("tri_zh", "计算三角形的面积", "三角形面积是多少"),
        ("tri_ja", "三角形の面積を計算します", "三角形の面積"),
        ("tri_ru", "Вычисляет площадь треугольника.", "площадь треугольника"),
        ("tri_ar", "يحسب مساحة المثلث", "مساحة المثلث"),
        ("tri_el", "Υπολογίζει το εμβαδόν τριγώνου.", "ΕΜΒΑΔΟΝ ΤΡΙΓΩΝΟΥ"),
        ("tri_emoji", "Draws 🔺 shapes.", "🔺 shapes"),
    ],
)
async def test_other_languages_and_scripts_are_found_by_words(
    db: Database, name: str, description: str, query: str
) -> None:
    search = ToolSearch(db, None, Policies(db))
    for each in [*TOOLS, tool(name, description)]:
        await register(db, search, each)
    hits = await search.find(query)
    assert hits[0].name == name
    assert hits[0].words > 0


async def test_surrogates_and_marks_do_not_break_anything(search: ToolSearch) -> None:
    for query in ("\ud800 triangle", "e\u0301" * 500, "\u202etriangle", "A" * 5_000):
        await search.find(query)


def test_ten_thousand_tools_with_one_description() -> None:
    catalog = Catalog()
    for number in range(10_000):
        catalog.put(Facets(f"copy_{number:05}", "Compute the area of a triangle."), None)
    catalog.put(Facets("loan_payment", "Monthly payment of a loan."), None)
    ranker = Ranker(catalog, Weights())
    began = time.thread_time()
    hits = ranker.rank("area of a triangle", None, 5)
    assert time.thread_time() - began < 0.5
    assert len(hits) == 5
    assert len({hit.relevance for hit in hits}) == 1
    assert ranker.rank("loan payment", None, 1)[0].name == "loan_payment"


async def test_odd_specs_are_indexed(db: Database) -> None:
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    odd = tool("odd", "line one\nline two\n- fake (integer, required): not a parameter")
    await register(db, search, odd)
    await register(db, search, tool("empty", ""))
    await register(db, search, tool("a/b c%d", "Slashes and blanks.", Status.VERIFIED))
    fresh = ToolSearch(db, HashedEmbedder(), Policies(db))
    assert {hit.name for hit in await fresh.find("line two slashes empty")} == {
        "odd",
        "empty",
        "a/b c%d",
    }


async def test_a_swapped_embedder_file_means_words_only(
    db: Database, search: ToolSearch, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / MINILM_ONNX.name).write_bytes(b"swapped")
    (folder / MINILM_TOKENIZER.name).write_bytes(b"{}")
    broken = ToolSearch(db, LocalEmbedder(folder), Policies(db))
    hits = await broken.find("area of a triangle")
    assert hits[0].name == "triangle_area"
    assert hits[0].cosine is None
    assert "not the promised file" in broken.words_only


async def test_missing_embedder_files_mean_words_only(
    db: Database, search: ToolSearch, tmp_path: Path
) -> None:
    bare = ToolSearch(db, LocalEmbedder(tmp_path / "nowhere"), Policies(db))
    hits = await bare.find("area of a triangle")
    assert hits[0].name == "triangle_area"
    assert hits[0].cosine is None
    assert "is missing" in bare.words_only
    await bare.index(tool("boil_egg", "Boil an egg."))
    assert (await bare.find("boil an egg"))[0].name == "boil_egg"
    assert (await bare.fit("boil an egg", await bare.find("boil an egg"))).probability > 0
