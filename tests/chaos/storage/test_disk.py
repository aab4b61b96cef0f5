"""Disks that are full and folders that may not be written: a clear error, and no damage."""

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.files.transfer import export_to, import_from

WRITER = Path(__file__).with_name("writer.py")


def write(url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(WRITER), url, "writer", "100000"],
        capture_output=True,
        text=True,
        timeout=100,
    )


async def usable_again(url: str, batches: int) -> None:
    database = await Database.open_url(url)
    assert (await check(database)).problems == []
    assert len(await database.sessions.list("writer", 1_000_000)) == batches
    await database.sessions.create("ada", "after")
    await database.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("cannot run here: a small disk cannot be mounted (needs root)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_full_disk(small_disk: Path):
    url = f"sqlite:///{small_disk}/hammerstone.db"
    done = await asyncio.to_thread(write, url)
    assert done.returncode == 5, done.stderr
    *batches, last = done.stdout.splitlines()
    assert last.startswith("data_directory/disk_full: the disk is full")
    assert done.stderr == ""
    # Once there is room again, everything that was confirmed is there.
    remount = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(remount, check=True)
    await usable_again(url, len(batches) - 1)


async def test_files_that_may_not_grow(tmp_path: Path):
    """The same without being root: a limit on the size of a file."""
    url = f"sqlite:///{tmp_path}/hammerstone.db"
    limit = 2 << 20  # an empty database has nearly one megabyte
    code = (
        "import runpy, signal, resource, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {resource.RLIM_INFINITY}))\n"
        f"sys.argv = ['writer', {url!r}, 'writer', '100000']\n"
        f"runpy.run_path({str(WRITER)!r}, run_name='__main__')\n"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 5, done.stderr
    *batches, last = done.stdout.splitlines()
    assert last.startswith("data_directory/disk_"), last
    await usable_again(url, len(batches) - 1)


@pytest.mark.parametrize("state", ["new", "existing", "folder only"])
async def test_a_folder_that_may_not_be_written(tmp_path: Path, state: str):
    folder = tmp_path / "data"
    url = f"sqlite:///{folder}/hammerstone.db"
    if state == "new":
        folder.mkdir()
    else:
        database = await Database.open_url(url)
        await database.close()
        (folder / "hammerstone.db").chmod(0o444 if state == "existing" else 0o666)
    folder.chmod(0o555)
    for parent in folder.parents:  # pytest makes its folders private
        if "pytest-of" in str(parent):
            parent.chmod(parent.stat().st_mode | 0o011)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(WRITER), url, "writer", "3", "as-nobody"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    folder.chmod(0o755)
    assert done.returncode == 5, done.stderr
    assert done.stdout.startswith("data_directory/"), done.stdout
    assert done.stderr == ""


async def test_a_file_with_damaged_pages_gives_back_what_is_left(tmp_path: Path):
    database = await Database.open_url(f"sqlite:///{tmp_path}/old/hammerstone.db")
    await database.sessions.create("ada", "s")
    for number in range(400):
        await database.messages.append("s", "user", f"{number} " + "x" * 1000)
    await database.policies.put("p", 1, "ada", "kept")
    await database.close()
    file = tmp_path / "old" / "hammerstone.db"
    content = bytearray(file.read_bytes())
    middle = content.index(b"200 xxxx") // 4096 * 4096
    content[middle : middle + 4096] = os.urandom(4096)
    file.write_bytes(content)

    database = await Database.open_url(f"sqlite:///{file}")
    assert not (await check(database)).ok
    written = await export_to(database, tmp_path / "out")
    await database.close()
    assert "messages" in {broken.table for broken in written.broken}
    assert 380 < written.rows["messages"] < 400
    fresh = await Database.open_url(f"sqlite:///{tmp_path}/new/hammerstone.db")
    assert (await import_from(fresh, tmp_path / "out")).broken == []
    texts = {message.text.split()[0] for message in await fresh.messages.recent("s", 999)}
    assert {"0", "399"} < texts
    assert await fresh.policies.active("p") is not None
    assert (await check(fresh)).problems == []
    await fresh.close()
