"""What the processes of `evals.two_processes` do: serve, call routes, run commands, evaluate.

Each runs in a process of its own, forked from one that has loaded the product and opened
nothing. What was acknowledged is written to a file before anything else happens.
"""

import asyncio
import json
import os
import random
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REQUEST = "What is 17.5% of 240?"
TOOL = "percentage_of"
USER = "two-processes"
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("tools", what) for what in ("list", "upkeep", "cache", "duplicates")),
    *(("tools", what, TOOL) for what in ("show", "versions")),
    ("tools", "run", TOOL, "percent=10", "number=50"),
    *(("learn", what) for what in ("run", "patterns", "relationships")),
    *((what, "list") for what in ("sessions", "traces", "proposals", "approvals", "files")),
    *((what, "list") for what in ("skills", "connectors")),
    ("graph", "show"),
    ("graph", "edges"),
    ("memory", "show"),
    ("memory", "search", "percent"),
    ("policies", "show"),
    ("policies", "history", "fit"),
    ("search", "percent of a number"),
    ("ask", REQUEST),
    ("ledger",),
    ("stats",),
    ("doctor",),
    ("db", "migrate"),
    ("db", "check"),
    ("db", "export", "{new}"),
)
FILE_COMMANDS = (("db", "backup", "{new}.db"),)
ROUTES = (
    *(f"/api/{name}" for name in ("runs", "approvals", "stops", "connectors", "sessions")),
    *(f"/api/{name}" for name in ("artifacts", "files", "tools", "graph", "traces", "memory")),
    *(f"/api/{name}" for name in ("skills", "ledger", "proposals", "settings", "policies")),
    *(f"/api/analytics/{n}" for n in ("relationships", "patterns", "stats", "progress")),
    *(f"/api/tools/{TOOL}", "/api/search?q=percent", "/api/policies/fit/history"),
    *("/api/export/library", "/api/export/policies", "/api/doctor", "/health", "/metrics"),
)


@dataclass(frozen=True)
class Place:
    """The data folder under test, and the files through which the processes speak."""

    folder: Path
    url: str = ""

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def surroundings(self) -> None:
        """Make this process use the place."""
        os.environ |= {
            "HAMMERSTONE_DATA_DIR": str(self.data),
            "HAMMERSTONE_EMBEDDER": "off",
            "HAMMERSTONE_MODEL": "compatible:none",
            "HAMMERSTONE_USER": USER,
            "HAMMERSTONE_REQUESTS_PER_MINUTE": "10000000",
        }
        if self.url:
            os.environ["DATABASE_URL"] = self.url

    def note(self, name: str, **what: Any) -> None:
        """One line, on its way to the disk when this returns, whoever is killed next."""
        line = json.dumps({**what, "at": time.time()}) + "\n"
        descriptor = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, line.encode())
        os.close(descriptor)

    def notes(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def fork(work: Callable[[], int], log: Path) -> int:
    """The id of a new process that does the work; what it prints goes to the log."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(target, 1)
        os.dup2(target, 2)
        sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
        random.seed()
        status = work()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def serve(place: Place, listener: socket.socket) -> int:
    import uvicorn

    from hammerstone.core.settings import load_settings
    from hammerstone.serve.api.app import create_app

    place.surroundings()
    app = create_app(load_settings(), models=_scripted())
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listener])
    return 0


def call_routes(place: Place, port: int, until: float) -> int:
    """Routes in random order, one in three of them writing."""
    address, number = f"http://127.0.0.1:{port}", 0
    while time.time() < until:
        number += 1
        token = f"r{os.getpid()}-{number}"
        with suppress(ConnectionError, TimeoutError, urllib.error.URLError):
            kind = random.choice(("read", "read", "read", "policy", "ask", "title", "learn"))
            if kind == "policy":
                body = {"values": {"high": random.random()}, "why": token}
                if _call(place, address, "/api/policies/fit", body, "PUT"):
                    place.note("acknowledged", policy=token)
            elif kind in ("ask", "title"):
                _ask(place, address, token, kind)
            elif kind == "learn":
                _call(place, address, "/api/learn", {"dry_run": False})
            else:
                _call(place, address, random.choice(ROUTES))
    return 0


def _ask(place: Place, address: str, token: str, kind: str) -> None:
    """A request; it counts as acknowledged when the server shows it as stored."""
    _call(place, address, "/api/ask", {"text": REQUEST, "session": token})
    if _call(place, address, f"/api/sessions/{token}"):
        place.note("acknowledged", session=token)
        if kind == "title" and _call(
            place, address, f"/api/sessions/{token}", {"title": f"title {token}"}, "PATCH"
        ):
            place.note("acknowledged", title=f"title {token}")


def _call(
    place: Place, address: str, path: str, body: dict[str, Any] | None = None, method: str = ""
) -> bool:
    """Whether the server said that it did; what it refused is noted."""
    request = urllib.request.Request(
        address + path,
        None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
        method=method or ("GET" if body is None else "POST"),
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            reply.read()
        place.note("done", what=path.partition("?")[0] if path in ROUTES else method or "POST")
        return True
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        place.note("refused", what=path, status=error.code, said=text[:500])
        return False


def run_commands(place: Place, until: float) -> int:
    """Commands in random order, one in four killed on the way."""
    number, killed = 0, 0
    while time.time() < until:
        number += 1
        token = f"c{os.getpid()}-{number}"
        words = random.choice(
            (*COMMANDS, *(() if place.url else FILE_COMMANDS), ("policies", "set"))
        )
        if words == ("policies", "set"):
            words = (*words, "fit", f"high={random.random()}", "--why", token)
        new = str(place.folder / "out" / token)
        words = tuple(word.replace("{new}", new) for word in words)
        log = place.folder / "logs" / token
        pid = fork(lambda words=words: _command(place, words), log)
        if random.random() < 0.25:
            time.sleep(random.uniform(0.0, 1.2))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said = log.read_text(errors="replace")
        log.unlink()
        if status == -signal.SIGKILL:
            killed += 1
            place.note("killed", what=" ".join(words))
        elif status in (0, 1) and "error:" not in said and "Traceback" not in said:
            place.note("done", what=" ".join(words[:2]))
            if words[:2] == ("policies", "set"):
                place.note("acknowledged", policy=token)
        else:
            place.note("refused", what=" ".join(words), status=status, said=said[-500:])
    return 0


def _command(place: Place, words: tuple[str, ...]) -> int:
    from hammerstone.serve.cli import main

    place.surroundings()
    sys.argv = ["hammerstone", *words]
    main.main()
    return 0


def evaluate(place: Place, until: float) -> int:
    """Ask the same again and again in an engine of this process, and count what came back."""
    place.surroundings()
    return asyncio.run(_evaluate(place, until))


async def _evaluate(place: Place, until: float) -> int:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import load_settings
    from hammerstone.run.request import AskOptions

    number = 0
    async with Hammerstone.open(load_settings(), models=_scripted()) as hs:
        while not number or time.time() < until:
            number += 1
            token = f"e{os.getpid()}-{number}"
            answer = await hs.ask(REQUEST, session=token, options=AskOptions(user=USER))
            if answer.text != "42":
                place.note("refused", what="ask", status=0, said=answer.text)
            await hs.sessions.get(token, USER)  # waits until it is stored
            place.note("acknowledged", session=token)
            place.note("done", what="evaluation")
    return 0


def _scripted() -> Any:
    from hammerstone.models.fakes import ScriptedModel
    from hammerstone.models.one import OneModel
    from tests.integration.engine import percent_script

    return OneModel(ScriptedModel(percent_script()))
