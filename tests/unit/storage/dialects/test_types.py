"""Whatever a Python string or JSON value holds survives the form it is stored in."""

import json

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite

from hammerstone.storage.dialects.types import SearchableJson, escape_text, unescape_text

any_text = st.text(st.characters(exclude_categories=()))  # surrogates, NUL, noncharacters
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=10,
)  # fmt: skip


@given(any_text)
def test_text_survives_and_is_storable(text: str):
    stored = escape_text(text)
    stored.encode("utf-8")  # no lone surrogate
    assert "\x00" not in stored
    assert unescape_text(stored) == text


@given(any_text, any_text)
def test_different_texts_stay_different(one: str, two: str):
    assert (escape_text(one) == escape_text(two)) == (one == two)


def test_plain_text_is_stored_as_it_is():
    for plain in ("", "hello", "é 😀", "\\u0000", "10ffff"):
        assert escape_text(plain) == plain


@given(any_json)
def test_searchable_json_survives(value: object):
    column = SearchableJson()
    write = column.bind_processor(sqlite.dialect())
    read = column.result_processor(sqlite.dialect(), None)
    stored = write(value)
    assert read(stored) == value
    if stored is not None:
        assert "\\u0000" not in stored  # JSONB refuses it
        reread = column.result_processor(postgresql.dialect(), None)
        assert reread(json.loads(stored)) == value
