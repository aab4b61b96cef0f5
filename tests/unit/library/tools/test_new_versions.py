"""A version that is about to be added."""

from hammerstone.core.documents import version_id
from hammerstone.core.tools import Spec, Status
from hammerstone.library.tools.new_versions import ActivationReason, NewVersion

CODE = "def double(x):\n    return 2 * x\n\n\n"
SPEC = Spec("double", "Twice a number.", {"type": "object"}, {"type": "number"})
NEW = NewVersion(SPEC, CODE, (), (), Status.VERIFIED, 0.9, {"why": "x"}, {"origin": "y"})


def test_its_id_says_code_spec_and_suite() -> None:
    assert NEW.id == version_id(CODE, SPEC, ())
    assert NEW.renamed("twice").id != NEW.id


def test_under_another_name_the_function_is_there_by_both() -> None:
    twice = NEW.renamed("twice")
    assert NEW.renamed("double") is NEW
    assert twice.spec.name == "twice" and NEW.spec.name == "double"
    assert (twice.status, twice.confidence, twice.evidence) == (Status.VERIFIED, 0.9, {"why": "x"})
    names: dict[str, object] = {}
    exec(twice.code, names)
    assert names["twice"] is names["double"]
    assert twice.code.endswith("\n\n\ntwice = double\n")
    assert "\n\n\n\n" not in twice.code


def test_a_reason_as_it_is_stored() -> None:
    reason = ActivationReason("retired", "ada", "unused", {"days": 400})
    assert reason.to_json() == {
        "kind": "retired", "who": "ada", "reason": "unused", "evidence": {"days": 400},
    }  # fmt: skip
    assert ActivationReason("registered", "ada", "new").to_json()["evidence"] == {}
