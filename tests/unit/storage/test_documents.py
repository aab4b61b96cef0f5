"""A version's hash covers what makes it what it is, and nothing else."""

from dataclasses import replace

from hammerstone.core.documents import (
    case_from_json,
    case_to_json,
    spec_from_json,
    spec_to_json,
    version_id,
)
from hammerstone.core.tools import Effect
from tests.storage.samples import spec, version


def test_documents_give_back_what_went_in():
    sample = version()
    assert spec_from_json(spec_to_json(sample.spec)) == sample.spec
    for case in sample.suite + sample.rejected:
        assert case_from_json(case_to_json(case)) == case


def test_numbers_inside_a_tool_are_part_of_its_document():
    ruled = replace(spec(), constants=(3.0, 1.5))
    assert spec_from_json(spec_to_json(ruled)) == ruled
    assert "constants" not in spec_to_json(spec())  # ids of tools without stay as they are


def test_the_hash_changes_with_code_spec_suite_and_effect():
    sample = version()
    base = version_id(sample.code, sample.spec, sample.suite)
    assert base == sample.id
    changed = [
        version_id(sample.code + " ", sample.spec, sample.suite),
        version_id(sample.code, replace(spec(), description="other"), sample.suite),
        version_id(sample.code, replace(spec(), effect=Effect.WRITES), sample.suite),
        version_id(sample.code, sample.spec, sample.suite[:1]),
    ]
    assert len({base, *changed}) == 5


def test_what_is_believed_about_a_case_is_not_part_of_it():
    sample = version()
    believed = tuple(replace(case, support=0.1, note="doubtful") for case in sample.suite)
    assert version_id(sample.code, sample.spec, believed) == sample.id


def test_the_order_of_schema_keys_does_not_matter():
    one = replace(spec(), parameters={"a": 1, "b": 2})
    two = replace(spec(), parameters={"b": 2, "a": 1})
    assert version_id("x", one, ()) == version_id("x", two, ())
