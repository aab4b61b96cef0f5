"""The starter set as it is shipped: readable, proved, and exactly what was proved."""

from pathlib import Path

import numpy as np

from hammerstone.library.search.facets import Facets
from hammerstone.library.search.shipped_vectors import shipped_vectors
from hammerstone.library.tools.new_versions import suite_confidence
from hammerstone.library.tools.seeding import shipped_evidence, starter_id, starter_tools
from hammerstone.models.embedding.local import LocalEmbedder


def test_there_are_a_few_dozen_and_all_of_them_were_proved() -> None:
    tools = starter_tools()
    evidence = shipped_evidence()
    assert len(tools) >= 36
    assert {starter_id(files) for files in tools} == set(evidence)
    for files in tools:
        found = evidence[starter_id(files)]
        assert found["tool"] == files.name
        assert found["cases"] == len(files.suite) >= 6
        score = found["mutation_score"]
        assert isinstance(score, float) and score >= 0.7, files.name


def test_every_parameter_and_result_is_described() -> None:
    for files in starter_tools():
        assert len(files.spec.description) > 20, files.name
        assert files.spec.returns.get("description"), files.name
        for name, schema in files.spec.takes.schemas.items():
            assert schema.get("description"), f"{files.name}.{name}"


def test_every_tool_has_a_vector_of_the_shipped_embedder(tmp_path: Path) -> None:
    space = LocalEmbedder(tmp_path).space
    assert shipped_vectors().space == space
    for files in starter_tools():
        text = Facets.of_spec(files.spec).text
        vector = shipped_vectors().find(space, text)
        assert vector is not None and np.linalg.norm(vector) > 0.5, files.name
        assert shipped_vectors().find("another@space", text) is None
        assert shipped_vectors().find(space, f"{text} changed") is None
    assert len(shipped_vectors().by_text) == len(starter_tools())


def test_a_suite_that_notices_more_makes_surer() -> None:
    def sure(cases: int, mutants: int, score: float | None) -> float:
        return suite_confidence({"cases": cases, "mutants": mutants, "mutation_score": score})

    assert suite_confidence({}) == 0.7
    assert 0.7 < sure(1, 0, None) < sure(6, 0, None) < sure(6, 20, 0.9) < sure(6, 20, 1.0) < 1
    assert sure(6, 20, 0.5) < sure(6, 20, 0.9)
    assert sure(6, 4, 1.0) < sure(6, 40, 1.0)
