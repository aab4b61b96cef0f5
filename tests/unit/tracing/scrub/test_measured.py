"""The published precision and recall hold: the evaluation itself is run."""

from evals.scrubber import precision, recall, score


def test_precision_and_recall_on_the_held_out_half() -> None:
    found = score("held_out")
    assert sum("secret" in one.tags for one in found) >= 300
    assert sum("look-alike" in one.tags for one in found) >= 300
    assert (recall(found) or 0) >= 0.95 and (precision(found) or 0) >= 0.95
    kinds = {one.tags[1] for one in found if "secret" in one.tags}
    assert len(kinds) >= 11
    for kind in kinds:
        of_kind = [one for one in found if one.tags[1] == kind]
        assert (recall(of_kind) or 0) >= 0.95, kind
        assert (precision(of_kind) or 0) >= 0.95, kind
