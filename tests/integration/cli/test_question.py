"""The question in a terminal: answered, declined, broken off."""

import os
import pty
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("proved_folder")

ASK = """
import asyncio
from hammerstone.serve.cli.requests.showing.live import LiveSteps

async def main():
    with LiveSteps(enabled=False) as steps:
        print("chosen", await steps.ask("What should f(1) return?", ("[1]", "2")), flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        (b"2\n", "chosen 1"),
        (b"3\n", "chosen None"),
        ("²\n".encode(), "chosen None"),
        (b"\x04", "chosen None"),  # Ctrl-D
        (b"\x03", "KeyboardInterrupt"),  # Ctrl-C
    ],
)
def test_a_question_in_a_terminal(typed: bytes, chosen: str) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ASK],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # its own terminal
    )
    os.close(theirs)
    try:
        assert process.stderr is not None
        shown = b""
        while b"which?" not in shown:
            shown += os.read(process.stderr.fileno(), 1000)
        os.write(ours, typed)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(ours)
    assert b"1) [1]" in shown
    assert chosen in (out + err).decode()


APPROVE = """
import asyncio
from datetime import UTC, datetime
from hammerstone.core.approvals import Approval
from hammerstone.serve.cli.requests.showing.live import LiveSteps

NOW = datetime(2030, 1, 1, tzinfo=UTC)

async def main():
    with LiveSteps(enabled=False) as steps:
        for name in ("first", "second"):
            asked = Approval("0" * 32, "write", "ada", "s", "r", "f", f"May {name} run?", NOW, NOW)
            print(name, await steps.approve(asked), flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("ahead", "typed", "said"),
    [
        (b"", (b"y\n", b"s\n"), "first True second session"),
        (b"", (b"yes\ny\ny\n", b"n\n"), "first True second False"),
        (b"y\ny\ny\n", (b"n\n", b"\n"), "first False second False"),
    ],
)
def test_what_was_typed_before_it_was_asked_is_no_yes(
    ahead: bytes, typed: tuple[bytes, bytes], said: str
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", APPROVE],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
    )
    os.close(theirs)
    try:
        assert process.stderr is not None
        os.write(ours, ahead)
        for name, line in zip((b"first", b"second"), typed, strict=True):
            shown = b""
            while b"May " + name not in shown or b"no (n)?" not in shown:
                shown += os.read(process.stderr.fileno(), 1000)
            os.write(ours, line)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(ours)
    assert out.decode().split() == said.split(), err
