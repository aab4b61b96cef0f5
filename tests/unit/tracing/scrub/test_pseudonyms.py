"""Marks that stand for one value, and who can open them."""

import pytest

from hammerstone.core.errors import NotFound, SettingsError
from hammerstone.tracing.scrub import MemoryVault, Pseudonyms, Scrubber, ScrubPolicy

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
POLICY = ScrubPolicy(reversible=frozenset({"email", "password", "api-key"}))
TEXT = "ada@example.com and bob@example.com, again ada@example.com"


def test_the_same_value_gets_the_same_mark_and_the_key_opens_it() -> None:
    names = Pseudonyms(KEY, MemoryVault())
    clean = Scrubber(POLICY, names).text(TEXT)
    first, _, second, _, third = clean.replace(",", "").split()
    assert first == third != second
    assert first.startswith("[email:")
    assert "ada" not in clean
    assert names.reveal(first) == "ada@example.com"
    assert names.reveal_all(clean) == TEXT


def test_another_tenant_sees_other_marks_and_cannot_open_these() -> None:
    vault = MemoryVault()
    clean = Scrubber(POLICY, Pseudonyms(KEY, vault)).text(TEXT)
    other = Pseudonyms(OTHER_KEY, vault)
    assert Scrubber(POLICY, Pseudonyms(OTHER_KEY)).text(TEXT) != clean
    assert other.reveal_all(clean) == clean
    with pytest.raises(NotFound):
        other.reveal(clean.split()[0])


def test_without_a_vault_there_is_no_way_back() -> None:
    names = Pseudonyms(KEY)
    mark = names.mark("email", "ada@example.com")
    with pytest.raises(NotFound):
        names.reveal(mark)


def test_the_vault_never_sees_a_value_and_a_moved_seal_does_not_open() -> None:
    vault = MemoryVault()
    names = Pseudonyms(KEY, vault)
    ada, bob = names.mark("email", "ada@example.com"), names.mark("email", "bob@example.com")
    sealed = vault.find(ada)
    assert sealed is not None
    assert b"ada" not in sealed
    swapped = MemoryVault()
    swapped.put(bob, sealed)
    with pytest.raises(NotFound):
        Pseudonyms(KEY, swapped).reveal(bob)


def test_secrets_are_never_reversible_whatever_the_policy_says() -> None:
    vault = MemoryVault()
    scrubber = Scrubber(POLICY, Pseudonyms(KEY, vault))
    key = "ghp_" + "a1" * 18
    assert scrubber.text(f"postgres://a:hunter2@db {key}") == "postgres://a:[password]@db [api-key]"
    assert vault.find("[api-key]") is None


def test_marks_survive_a_second_scrubbing() -> None:
    scrubber = Scrubber(POLICY, Pseudonyms(KEY, MemoryVault()))
    once = scrubber.text(TEXT)
    assert scrubber.text(once) == once


def test_a_short_key_is_refused() -> None:
    with pytest.raises(SettingsError):
        Pseudonyms(b"short")
