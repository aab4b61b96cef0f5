"""Deleting a session reaches every table that holds something of one."""

from hammerstone.storage.schema import metadata
from hammerstone.storage.stores.requests.sessions import _OF_SESSION

BY_CASCADE = {"messages"}
EMPTIED = {"deliveries"}  # a call that came stays noted, without what came of it
BY_THE_LEDGER = {"proposal_sessions", "pattern_sessions", "analyses", "confirmations"}


def test_no_table_with_a_session_in_it_is_forgotten() -> None:
    holding = {table.name for table in metadata.sorted_tables if "session_id" in table.c}
    assert holding == {table.name for table in _OF_SESSION} | BY_CASCADE | BY_THE_LEDGER | EMPTIED
