"""Checksums and shapes, against published examples and brute force."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.tracing.scrub.checks import (
    IBAN_LENGTHS,
    iban_length,
    is_calling_number,
    is_card,
    is_host_v4,
    is_host_v6,
    looks_random,
    luhn,
)
from hammerstone.tracing.scrub.names import Hint, hint_of


@given(st.text(string.digits, min_size=1, max_size=18))
def test_exactly_one_check_digit_satisfies_luhn(body: str) -> None:
    assert sum(luhn(body + digit) for digit in string.digits) == 1


@pytest.mark.parametrize(
    "number",
    ["4242424242424242", "5555555555554444", "378282246310005", "6011111111111117",
     "30569309025904", "3530111333300000", "2223003122003222", "6200000000000005"],
)  # fmt: skip
def test_published_test_cards(number: str) -> None:
    assert is_card(number)
    assert not is_card(number[:-1] + str((int(number[-1]) + 1) % 10))


@pytest.mark.parametrize(
    "iban",
    ["GB33BUKB20201555555555", "NO9386011117947", "MT84MALT011000012345MTLCAST001S",
     "FR1420041010050500013M02606", "SA0380000000608010167519"],
)  # fmt: skip
def test_published_ibans_and_every_single_error_in_them(iban: str) -> None:
    assert iban_length(iban) == len(iban)
    for at in range(2, len(iban)):
        for char in string.digits if iban[at].isdigit() else string.ascii_uppercase:
            if char != iban[at]:
                assert iban_length(iban[:at] + char + iban[at + 1 :]) is None


def test_iban_lengths_are_complete() -> None:
    assert len(IBAN_LENGTHS) > 80
    assert all(15 <= length <= 33 for length in IBAN_LENGTHS.values())


def test_calling_numbers() -> None:
    assert is_calling_number("14155552671")
    assert is_calling_number("4930123456")
    assert not is_calling_number("11555526710")  # no area code begins with 1
    assert not is_calling_number("2100000000")  # no such country
    assert not is_calling_number("49")


def test_addresses() -> None:
    assert is_host_v4("203.0.113.7")
    assert not any(
        map(is_host_v4, ("256.1.1.1", "127.0.0.1", "0.0.0.0", "255.255.0.0", "01.2.3.4"))
    )
    assert is_host_v6("2001:db8::1")
    assert not any(map(is_host_v6, ("::1", "::", "a::b", "12:34:56", "dead::beef")))


def test_drawn_and_written() -> None:
    assert looks_random("wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY")
    assert looks_random("3f786850e387550fdab836ed7e6dc881de23001b")
    for written in (
        "the quick brown fox jumps",
        "customer_identifier_column",
        "aaaaaaaaaaaaaaaaaaa1",
        "short1",
        "12345678901234567890",
        "HelloWorldApplication",
    ):
        assert not looks_random(written), written


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("password", Hint.PASSWORD), ("DB_PASSWORD", Hint.PASSWORD), ("userPwd", Hint.PASSWORD),
        ("aws-secret-access-key", Hint.PASSWORD), ("Authorization", Hint.PASSWORD),
        ("apiKey", Hint.CREDENTIAL), ("X-Auth-Token", Hint.CREDENTIAL), ("sig", Hint.CREDENTIAL),
        ("max_tokens", Hint.NONE), ("next_page_token", Hint.NONE), ("cache_key", Hint.NONE),
        ("public_key", Hint.NONE), ("Japan", Hint.NONE), ("hotel", Hint.NONE), ("key", Hint.NONE),
        ("mobile_number", Hint.PHONE), ("cardNumber", Hint.CARD), ("PAN", Hint.CARD),
    ],
)  # fmt: skip
def test_what_a_name_says(name: str, hint: Hint) -> None:
    assert hint_of(name) is hint
