"""What is hidden, what is left alone, in text and in nested JSON."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.json_types import Json
from hammerstone.tracing.scrub import Scrubber

scrubber = Scrubber()
TOKEN = "q8Zr1LmX0vBt7KdPw3Ys"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail ada.l+x@example.co.uk now", "mail [email] now"),
        ("jörg@bücher.example.", "[email]."),
        ("ada%40example.com", "[email]"),
        ("pay 4111 1111 1111 1111 or 378282246310005", "pay [card] or [card]"),
        (
            "4242424242424242 4012-8888-8888-1881 4012 8888 8888 1881,378282246310005",
            "[card] [card] [card],[card]",
        ),
        ("1 2024 4012 8888 8888 1881 17", "1 2024 [card] 17"),
        ("+1 415 555 0132 2024", "[phone] 2024"),
        ("684D:1111:222:3333:4444:5555:6:77", "[ip]"),
        ("config['secret_key'] = 'a#b'", "config['secret_key'] = '[secret]'"),
        ("psql --db-password hunter22 -x", "psql --db-password [secret] -x"),
        (f"cli --api-token {TOKEN}", "cli --api-token [secret]"),
        ("curl -u admin:s3cret https://x", "curl -u admin:[password] https://x"),
        ("IBAN DE89 3704 0044 0532 0130 00, please", "IBAN [iban], please"),
        ("GB82WEST12345698765432 GB82WEST12345698765431", "[iban] GB82WEST12345698765431"),
        ("call +49 (0)30 1234567 or (415) 555-2671", "call [phone] or [phone]"),
        ("1-415-555-2671", "[phone]"),
        ("Tel.: 030/1234567", "Tel.: [phone]"),
        ("from 203.0.113.7:443 and 2001:db8::1", "from [ip]:443 and [ip]"),
        ("eth0 00:1a:2b:3c:4d:5e", "eth0 [mac]"),
        ("ssh ip-10-0-0-1.ec2.internal", "ssh [host]"),
        ("postgres://app:s3cr3t@db/x", "postgres://app:[password]@db/x"),
        ("postgres://app:p@ss#1@db/x", "postgres://app:[password]@db/x"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [authorization]"),
        (f"sent Bearer {TOKEN}", "sent Bearer [authorization]"),
        ("password = hunter2!", "password = [secret]"),
        (f"API_KEY={TOKEN}&page=2", "API_KEY=[secret]&page=2"),
        (f"const apiKey = '{TOKEN}';", "const apiKey = '[secret]';"),
        ('{\\"password\\": \\"x1y2\\"}', '{\\"password\\": \\"[secret]\\"}'),
        ('"password": "unclosed', '"password": "[secret]'),
        (f"AKIAIOSFODNN7EXAMPLE ghp_{'a1' * 18}", "[api-key] [api-key]"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nok", "[private-key]\nok"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE cut off", "[private-key]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.a-b_c", "[jwt]"),
    ],
)
def test_hidden(text: str, clean: str) -> None:
    assert scrubber.text(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is 17.5% of 240?",
        "2024-03-01T12:34:56.789Z 1700000000000 3.14159265358979",
        "lodash@4.17.21 git@github.com:a/b.git logo@2x.png W@x.transpose()",
        "4111111111111112 1234567812345670 9783161484100",
        "DE88370400440532013000",
        "v1.2.3.4 version 10.0.0.1 127.0.0.1 0.0.0.0 1.3.6.1.4.1.2 std::vector a::b 12:34:56",
        "max_tokens=512 token: the password: str = None",
        'password = input("Password: ")',
        "self.password = user, password",
        "cache_key=3f786850e387550fdab836ed7e6dc881de23001b",
        "postgres://user:${PASSWORD}@db/x http://localhost:8080/@me",
        "sk-folding-cube-spinner-large-blue basic understanding of it",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "docker run -u 1000:1000 --token-limit 4096 --password $SECRET --api-key <key>",
        "Decimal('+35236450.6') at +52.5200, +13.4050",
    ],
)
def test_left_alone(text: str) -> None:
    assert scrubber.text(text) == text


def test_names_of_fields_are_evidence() -> None:
    given_value: Json = {
        "password": "x",
        "dbPassword": 1234,
        "headers": [{"Authorization": "anything", "Set-Cookie": "sid=1"}],
        "apiKey": TOKEN,
        "token": "the",
        "phone": 4155552671,
        "card_number": 4111111111111111,
        "order": 4111111111111111,
        "properties": {"password": {"type": "string"}},
        "password_hint": None,
        "pin_codes": [1, 2],
        "to ada@example.com": "ada@example.com",
        "passwords": [],
    }
    assert scrubber(given_value) == {
        "password": "[password]",
        "dbPassword": "[password]",
        "headers": [{"Authorization": "[password]", "Set-Cookie": "[password]"}],
        "apiKey": "[secret]",
        "token": "the",
        "phone": "[phone]",
        "card_number": "[card]",
        "order": 4111111111111111,
        "properties": {"password": {"type": "string"}},
        "password_hint": None,
        "pin_codes": [1, 2],
        "to [email]": "[email]",
        "passwords": [],
    }


def test_a_list_under_a_telling_name_is_hidden_item_by_item() -> None:
    assert scrubber({"password": ["a", "b"]}) == {"password": ["[password]", "[password]"]}


def test_ordinary_words_that_end_like_a_secret_are_left_alone() -> None:
    value: Json = {
        "Japan": "Tokyo 1234567",
        "hotel": "12345678",
        "monkey": TOKEN,
        "coauth": "x" * 9,
    }
    assert scrubber(value) == value


def test_only_the_kinds_of_the_policy_are_hidden() -> None:
    only_mail = Scrubber(kinds=frozenset({"email"}))
    text = "ada@example.com 203.0.113.7 password=hunter22"
    assert only_mail.text(text) == "[email] 203.0.113.7 password=hunter22"
    assert only_mail({"password": "x", "phone": "4155552671"}) == {
        "password": "x",
        "phone": "4155552671",
    }


def test_a_very_deep_value_is_cut_instead_of_crashing() -> None:
    deep: Json = "ada@example.com"
    for _ in range(500):
        deep = [deep]
    assert "ada" not in json.dumps(scrubber(deep))


pieces = st.sampled_from(
    [
        "ada@example.com", "4111 1111 1111 1111", "DE89370400440532013000", "+14155552671",
        "203.0.113.7", "password=", "token: ", "Bearer ", TOKEN, "postgres://a:b@c", '"', "'", " ",
        "[email]", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x", "-----BEGIN PRIVATE KEY-----",
        "=", ":", "\n", "é", "İ", "\u2028", "00:1a:2b:3c:4d:5e", "2001:db8::1",
    ]
)  # fmt: skip


@given(st.lists(pieces | st.text(max_size=8), max_size=12).map("".join))
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    once = scrubber.text(text)
    assert scrubber.text(once) == once
    nested = scrubber({"a": [text]})
    assert nested == {"a": [once]}


HOSTILE = {
    "letters": "a",
    "at signs": "@",
    "digits": "1",
    "digits and spaces": "1 ",
    "dotted": "1.",
    "colons": "ff:",
    "plus": "+1",
    "almost mail": "a@a.",
    "long label": "@" + "a" * 62 + ".",
    "almost a token": "eyJaaaaaaaa.",
    "almost a url": "a://b:c",
    "names": "password=",
    "quotes": 'password="',
    "begin": "-----BEGIN PRIVATE KEY-----",
    "prefix": "sk-",
    "iban": "DE89 3704 ",
    "header": "authorization:",
    "hyphens": "a-",
    "phones": " tel 1",
    "percent": "%40",
    "dots": "a.internal.",
    "options": "--a ",
    "cards": "4111 ",
    "capital i with dot": "İ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_is_linear_on_hostile_text(piece: str) -> None:
    size = 1_000_000
    text = (piece * (size // len(piece) + 1))[:size]
    began = time.process_time()
    scrubber.text(text)
    # About 0.1 to 0.3 s here; anything quadratic takes minutes at this size.
    assert time.process_time() - began < 5.0
