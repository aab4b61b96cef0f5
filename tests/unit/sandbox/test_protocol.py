"""Frames: what arrives in pieces comes out whole; what is forged or too large is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.sandbox.guest import protocol

NONCE = b"n" * protocol.NONCE_BYTES
CAPS = {protocol.VALUE: 100, protocol.DONE: 10}


@given(
    st.lists(st.tuples(st.sampled_from([protocol.VALUE, protocol.DONE]), st.binary(max_size=10))),
    st.integers(1, 17),
)
def test_frames_survive_being_cut_into_pieces(frames, size):
    stream = b"".join(protocol.pack(NONCE, kind, payload) for kind, payload in frames)
    reader = protocol.FrameReader(NONCE, CAPS)
    got = []
    for start in range(0, len(stream), size):
        got += reader.feed(stream[start : start + size])
    assert got == frames
    assert not reader.partial


@pytest.mark.parametrize(
    "data",
    [
        b"x" * protocol.HEADER.size,
        protocol.pack(b"m" * protocol.NONCE_BYTES, protocol.VALUE, b"1"),
        protocol.pack(NONCE, b"?", b"1"),
    ],
    ids=["noise", "another nonce", "unknown kind"],
)
def test_what_does_not_follow_the_protocol_is_forged(data):
    with pytest.raises(protocol.ProtocolBreach):
        protocol.FrameReader(NONCE, CAPS).feed(data)


def test_a_length_is_not_believed():
    reader = protocol.FrameReader(NONCE, CAPS)
    with pytest.raises(protocol.FrameTooLarge) as caught:
        reader.feed(protocol.HEADER.pack(NONCE, protocol.VALUE, 1 << 31))
    assert caught.value.size == 1 << 31


def test_good_frames_before_a_forgery_are_delivered_first():
    reader = protocol.FrameReader(NONCE, CAPS)
    good = protocol.pack(NONCE, protocol.VALUE, b"1")
    assert reader.feed(good + b"x" * 40) == [(protocol.VALUE, b"1")]
    with pytest.raises(protocol.ProtocolBreach):
        reader.feed(b"")


def test_at_the_end_half_a_frame_is_a_crash_but_noise_is_a_forgery():
    whole = protocol.pack(NONCE, protocol.VALUE, b"12345")
    half = protocol.FrameReader(NONCE, CAPS)
    assert half.feed(whole[:-2]) == []
    half.close()
    noise = protocol.FrameReader(NONCE, CAPS)
    assert noise.feed(b"hi") == []
    with pytest.raises(protocol.ProtocolBreach):
        noise.close()
