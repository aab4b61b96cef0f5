"""Roles, rights, names and tokens."""

from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.people import (
    RIGHTS,
    Caller,
    Person,
    PersonRole,
    PersonStanding,
    Right,
    checked_name,
    new_token,
    token_hash,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_each_role_may_what_the_lesser_ones_may() -> None:
    guest, member, owner = (
        RIGHTS[role] for role in (PersonRole.GUEST, PersonRole.MEMBER, PersonRole.OWNER)
    )
    assert guest < member < owner == set(Right)
    assert Right.GOVERN not in member and Right.BUILD not in guest


def test_whoever_may_not_is_told_who_may() -> None:
    Caller("ada").require(Right.GOVERN, "stop everything")
    with pytest.raises(Refused, match="a guest may not stop everything") as told:
        Caller("gus", PersonRole.GUEST).require(Right.GOVERN, "stop everything")
    assert told.value.hint == "owners may"


def test_tokens_are_long_different_and_fit_a_websocket() -> None:
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50 and all(len(token) >= 43 for token in tokens)
    assert all(set(token) <= set("-_") or token.replace("-", "").isidentifier() for token in tokens)
    assert all(token not in token_hash(token) and len(token_hash(token)) == 64 for token in tokens)


@pytest.mark.parametrize("name", ["", " ", "a b", "-a", "../x", "a/b", "x" * 65, "ö\n", "a\x00"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(BadRequest):
        checked_name(name)


def test_a_token_ends_by_time_or_by_word() -> None:
    person = Person("ada", PersonRole.MEMBER, NOW, "me", NOW + timedelta(days=1))
    assert person.standing(NOW) is PersonStanding.ACTIVE
    assert person.standing(NOW + timedelta(days=1)) is PersonStanding.EXPIRED
    revoked = Person("ada", PersonRole.MEMBER, NOW, "me", None, None, NOW)
    assert revoked.standing(NOW) is PersonStanding.REVOKED
