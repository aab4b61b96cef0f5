"""The frames that cross a sandbox's border, the same for every backend.

One conversation is one process: the host sends one task, the guest answers with frames until
`DONE`, then the host kills it. A frame is

    nonce (16 bytes) | kind (1 byte) | length (4 bytes, big endian) | payload

Host to guest:

    SETUP     JSON; only from a fork server's host to a spare process, see server.py
    TASK      JSON: code, function, calls [{args, kwargs, source}], limits, tmp, artifacts

Guest to host, in this order:

    LOADED    the module was executed and has the function (payload empty)
    then for each call, in the order of the task:
      STDOUT    what the call printed, raw bytes; left out when it printed nothing
      STDERR    likewise, with the traceback of an exception
      ARTIFACT  name, NUL, content; one frame a file, only if the task asks for artifacts;
                a name alone says that there is more than the limits allow
      MISSING   JSON: names of files that the call looked for and did not find; only with
                artifacts, and left out when it found all
      VALUE     JSON: the value's wire form; ends the call
      FAILED    JSON: failure, type, error; ends the call
    DONE      JSON: {"harmed": reason}; a reason means that the process may no longer be trusted
              with further calls, and the host goes on in a new one

`FAILED` before `LOADED` means that the module cannot be used at all. The nonce is new for each
task: whatever generated code writes to the channel without it is noticed as forged. It is not a
secret from code that reads the process's memory, and need not be: such code can only send what
it could have returned, because the verdict is computed on the host. No length is believed:
the host gives each kind a cap and stops reading above it.
"""

import struct

HEADER = struct.Struct(">16scI")
NONCE_BYTES = 16

SETUP = b"S"
TASK = b"T"
LOADED = b"L"
STDOUT = b"O"
STDERR = b"E"
ARTIFACT = b"A"
MISSING = b"N"
VALUE = b"V"
FAILED = b"F"
DONE = b"D"

SMALL_BYTES = 64 << 10  # cap of the frames that carry no payload of the code's own


class ProtocolBreach(Exception):
    """Bytes on the channel that do not follow the protocol."""


class FrameTooLarge(Exception):
    """A frame says that it is larger than its kind may be."""

    def __init__(self, kind: bytes, size: int) -> None:
        super().__init__(f"frame {kind.decode('latin-1')} of {size} bytes")
        self.kind = kind
        self.size = size


def pack(nonce: bytes, kind: bytes, payload: bytes = b"") -> bytes:
    """One frame as bytes."""
    return HEADER.pack(nonce, kind, len(payload)) + payload


class FrameReader:
    """Turns bytes as they arrive into frames, refusing what is forged or too large."""

    def __init__(self, nonce: bytes, caps: dict[bytes, int]) -> None:
        self._nonce = nonce
        self._caps = caps
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The frames that `data` completes; raises `ProtocolBreach` or `FrameTooLarge`."""
        self._buffer += data
        frames: list[tuple[bytes, bytes]] = []
        while len(self._buffer) >= HEADER.size:
            nonce, kind, length = HEADER.unpack_from(self._buffer)
            if nonce != self._nonce or kind not in self._caps:
                if frames:
                    # What came before was well formed; the next call reports the forgery.
                    return frames
                raise ProtocolBreach(
                    f"unexpected bytes on the result channel: {bytes(self._buffer[:40])!r}"
                )
            if length > self._caps[kind]:
                if frames:
                    return frames
                raise FrameTooLarge(kind, length)
            end = HEADER.size + length
            if len(self._buffer) < end:
                break
            frames.append((kind, bytes(self._buffer[HEADER.size : end])))
            del self._buffer[:end]
        return frames

    def close(self) -> None:
        """The stream has ended; raises `ProtocolBreach` if the rest never was a frame's start."""
        self.feed(b"")
        if not self._nonce.startswith(self._buffer[:NONCE_BYTES]):
            raise ProtocolBreach(
                f"unexpected bytes on the result channel: {bytes(self._buffer[:40])!r}"
            )

    @property
    def partial(self) -> bool:
        """Whether bytes are left that are not a whole frame."""
        return bool(self._buffer)
