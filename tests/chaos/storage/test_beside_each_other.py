"""A server and a command on one data folder: what one process looks at, the other may not lose."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

COMMAND = str(Path(sys.executable).with_name("hammerstone"))
ROOT = Path(__file__).parents[3]


@contextmanager
def served(data: Path) -> Iterator[str]:
    """The address of a server in a process of its own, stopped as a service manager stops it."""
    command = [sys.executable, "-m", "evals.scripted_server", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()


def ask(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        address + path, content, headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=90) as reply:
        return json.loads(reply.read())


def command(data: Path, *words: str) -> str:
    env = {**os.environ, "HAMMERSTONE_DATA_DIR": str(data), "HAMMERSTONE_EMBEDDER": "off"}
    done = subprocess.run([COMMAND, *words], env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    return done.stdout


def integrity(file: Path) -> list[str]:
    """Asked in a process of its own: this one may have the file open elsewhere."""
    code = (
        "import sqlite3, sys\n"
        "rows = sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchall()\n"
        "print(*(row[0] for row in rows), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    return done.stdout.split("\n")[:-1]


def test_doctor_in_the_server_then_a_command_leaves_the_database_whole(tmp_path: Path) -> None:
    file = tmp_path / "hammerstone.db"
    with served(tmp_path) as address:
        kept = [_remembered(address, number) for number in range(5)]
        findings = {finding["name"]: finding for finding in ask(address, "/api/doctor")}
        assert findings["database"]["ok"]
        assert file.with_name("hammerstone.db-wal").exists()
        command(tmp_path, "tools", "list")
        assert file.with_name("hammerstone.db-wal").exists(), "a command took the live -wal away"
        kept += [_remembered(address, number) for number in range(5, 40)]
        command(tmp_path, "policies", "set", "fit", "high=0.7", "--why", "trial")
        kept += [_remembered(address, number) for number in range(40, 50)]
    assert integrity(file) == ["ok"]
    with closing(sqlite3.connect(file)) as connection:
        stored = {row[0] for row in connection.execute("SELECT id FROM sessions")}
    assert set(kept) <= stored


def _remembered(address: str, number: int) -> str:
    """A session that the server confirmed."""
    answer = ask(address, "/api/ask", {"text": "What is 17.5% of 240?", "session": f"s{number}"})
    assert answer["status"] == "done"
    return answer["session_id"]
