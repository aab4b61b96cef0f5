"""The starter set as it is shipped: readable, proved, and exactly what was proved."""

from hammerstone.library.promises import parameters_of
from hammerstone.library.seeding import shipped_evidence, starter_id, starter_tools


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
        for name, schema in parameters_of(files.spec).items():
            assert schema.get("description"), f"{files.name}.{name}"
