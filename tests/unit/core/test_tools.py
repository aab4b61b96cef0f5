"""What a case comes from, told from its stored word."""

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, CaseOrigin


@pytest.mark.parametrize(
    ("origin", "kind"),
    [
        ("user", CaseOrigin.USER),
        (CaseOrigin.USER, CaseOrigin.USER),
        ("strengthening", CaseOrigin.STRENGTHENING),
        ("failure", CaseOrigin.FAILURE),
        ("repair", CaseOrigin.REPAIR),
        ("run 12ab", CaseOrigin.RUN),
        ("run", CaseOrigin.RUN),
        ("author 1", CaseOrigin.AUTHOR),
        ("user who reported it", CaseOrigin.AUTHOR),
        ("running totals", CaseOrigin.AUTHOR),
        ("starter", CaseOrigin.AUTHOR),
        ("", CaseOrigin.AUTHOR),
    ],
)
def test_a_stored_origin_says_what_a_case_comes_from(origin: str, kind: CaseOrigin) -> None:
    case = Case(CaseKind.VALUE, Call(source="f(1)"), 1, origin=origin)
    assert case.origin_kind is kind
