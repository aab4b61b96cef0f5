"""What comes from outside is read within its bounds, and large documents apart from the loop."""

import asyncio
import json
import threading
import time
import zlib

import pytest

from hammerstone.core import intake, wire
from hammerstone.core.intake import Inflation, IntakeBounds, IntakeError, IntakeTooLarge

MEGABYTE = 1 << 20
SAME_HASH = 2**61 - 1  # whole numbers that are multiples of it have the hash 0


def test_json_comes_back_as_it_was_sent():
    value = {"a": [1, 2.5, None, True, "ü\u0000"], "b": {"$date": "2026-01-01"}}
    assert intake.read_json(json.dumps(value).encode()) == value
    assert intake.read_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "NaN", "[Infinity]", '{"a": -Infinity}', "\ud800"]
)
def test_what_is_no_json_is_one_kind_of_error(text):
    with pytest.raises(IntakeError):
        intake.read_json(text)


@pytest.mark.parametrize(
    ("content", "bound"),
    [
        (b"[" + b"1," * 400_000 + b"1]", "values"),
        (b"[" + b"[]," * 60_000 + b"1]", "containers"),
        (b"[" * 900 + b"]" * 900, "deeper"),
        (b'"' + b"x" * 300 + b'"', "characters"),
        (b" " * (3 * MEGABYTE), "bytes"),
        (b'"' * (2 * MEGABYTE), "texts"),
    ],
)
def test_each_bound_is_named_when_it_is_passed(content, bound):
    bounds = IntakeBounds(max_text=200)
    with pytest.raises(IntakeTooLarge, match=bound):
        intake.read_json(content, bounds)


def test_texts_with_brackets_and_commas_count_as_one_value():
    text = '[{,\\"' * 100_000
    assert intake.read_json(json.dumps([text]).encode()) == [text]


def test_a_text_without_end_is_passed_over_once():
    began = time.thread_time()
    with pytest.raises(IntakeError):
        intake.read_json(b'["' + b'\\"' * (MEGABYTE - 2))
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize("tag", ["$set", "$dict"])
def test_members_that_were_chosen_to_have_one_hash_are_refused(tag):
    numbers = [{"$int": hex(SAME_HASH * n)} for n in range(1, 20_000)]
    body = numbers if tag == "$set" else [[number, 1] for number in numbers]
    began = time.thread_time()
    with pytest.raises(IntakeError, match="same hash"):
        intake.read_wire(json.dumps({tag: body}).encode())
    assert time.thread_time() - began < 1.0


def test_ordinary_sets_and_dictionaries_stay_what_they_are():
    value = {"s": set(range(-500, 500)), "d": {n: n for n in range(1000)}, "t": {(1, 2), (3, 4)}}
    document = json.dumps(wire.encode(value)).encode()
    assert wire.decode(intake.read_wire(document)) == value


@pytest.mark.parametrize("tag", ["$date", "$datetime", "$time", "$float"])
def test_a_date_is_no_longer_than_a_date(tag):
    with pytest.raises(IntakeError, match="characters"):
        intake.read_wire(json.dumps({tag: "1" * 100_000}).encode())


def test_complex_numbers_within_complex_numbers_have_a_depth_too():
    value = {"$complex": [1, 1]}
    for _ in range(wire.MAX_DEPTH * 2 + 2):
        value = {"$complex": [value, 1]}
    with pytest.raises(wire.WireError, match="deep"):
        wire.decode(value)


async def test_a_large_document_is_read_in_a_thread_and_a_small_one_at_once():
    seen = []

    def read(content):
        seen.append(threading.current_thread() is threading.main_thread())

    await intake.read_apart(read, b"x" * 100)
    await intake.read_apart(read, b"x" * intake.LARGE_BYTES)
    assert seen == [True, False]


async def test_the_loop_goes_on_while_a_megabyte_is_read():
    content = json.dumps([{"$date": "2026-01-01"}] * 40_000).encode()
    turns, done = 0, asyncio.Event()

    async def count():
        nonlocal turns
        while not done.is_set():
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await intake.read_apart(intake.read_wire, content)
    done.set()
    await counting
    assert turns > 3


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html", "utf-8"),
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html; charset="iso-8859-1"', "cp1252"),
        ("text/html; charset=windows-1251", "cp1251"),
        ("text/html; charset=Shift_JIS", "shift_jis"),
        ("text/html; charset=punycode", "utf-8"),
        ("text/html; charset=idna", "utf-8"),
        ("text/html; charset=hex", "utf-8"),
        ("text/html; charset=utf-7", "utf-8"),
        ("text/html; charset=unicode_escape", "utf-8"),
        ("text/html; charset=nonsense-9", "utf-8"),
        ("text/html; charset=" + "x" * 5000, "utf-8"),
        ("text/html; charset=\0", "utf-8"),
    ],
)
def test_only_charsets_of_the_web_are_used(content_type, charset):
    assert intake.charset_of(content_type) == charset


def test_text_in_pieces_is_the_same_text():
    text = "äöü日本語😀" * 40_000
    assert intake.read_text(text.encode()) == text
    assert intake.read_text(text.encode("utf-16"), "text/plain; charset=utf-16") == text
    assert "\ufffd" in intake.read_text(b"\xff\xfe\xfd")


@pytest.mark.parametrize("wbits", [31, 15, -15])
def test_packed_content_is_unpacked_up_to_its_bound(wbits):
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(b"x" * 50_000_000) + packer.flush()
    inflation = Inflation("gzip" if wbits == 31 else "deflate", 1000)
    inflation.feed(packed)
    assert inflation.full
    assert inflation.content == b"x" * 1000


def test_other_ways_of_packing_are_refused():
    with pytest.raises(IntakeError, match="zstd"):
        Inflation("zstd", 1000)
    with pytest.raises(IntakeError, match="unpacked"):
        Inflation("gzip", 1000).feed(b"no gzip at all")
