"""Rules for every test: no outside network, own data directory, and an honest table of skips."""

import asyncio
import gc
import os
import shutil
import signal
import socket
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forked_commands import end_server
from tests.kept_servers import OWN_SERVERS, end_servers, keep_servers
from tests.made_databases import WHOLE_WAY, make_databases_quickly
from tests.memory_folder import keep_files_in_memory
from tests.proved_sandboxes import prove_sandbox, prove_sandboxes_once
from tests.raw_opens import RAW_OPENS, watch_raw_opens

watch_raw_opens()
keep_files_in_memory()

# Started in the background by a shell, everything below would ignore Ctrl-C; the tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


STRICT = "HAMMERSTONE_TEST_STRICT"
_CLEARED = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "OPENAI_EMBEDDING_MODEL",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "OLLAMA_BASE_URL",
    "OLLAMA_HOST",
    "DATABASE_URL",
    "SUPABASE_URL",
    "SIMILARITY_THRESHOLD",
    "HOST",
    "PORT",
)


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Each test has its own data directory and none of the machine's settings."""
    for name in [*os.environ]:
        if name in _CLEARED or (name.startswith("HAMMERSTONE_") and name != STRICT):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    # A test begins with an empty library; those about the starter tools ask for them.
    monkeypatch.setenv("HAMMERSTONE_STARTER_TOOLS", "0")
    yield


@pytest.fixture(autouse=True)
def _quickly_made_databases(request: pytest.FixtureRequest, monkeypatch: Any) -> None:
    if not request.node.nodeid.startswith(WHOLE_WAY):
        make_databases_quickly(monkeypatch)


@pytest.fixture(scope="session")
def _proofs_of_sandboxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("proofs")


@pytest.fixture(autouse=True)
def _sandboxes_proved_once(
    request: pytest.FixtureRequest, monkeypatch: Any, _proofs_of_sandboxes: Path
) -> None:
    if not request.node.nodeid.startswith(OWN_SERVERS):
        prove_sandboxes_once(monkeypatch, _proofs_of_sandboxes)


@pytest.fixture(scope="session")
def _servers_of_a_process() -> Iterator[None]:
    yield
    end_servers()
    end_server()


@pytest.fixture(autouse=True)
def _servers_kept(
    request: pytest.FixtureRequest, monkeypatch: Any, _servers_of_a_process: None
) -> None:
    if not request.node.nodeid.startswith(OWN_SERVERS):
        keep_servers(monkeypatch)


@pytest.fixture(scope="session")
def _proof_of_a_sandbox(_proofs_of_sandboxes: Path) -> Path | None:
    return asyncio.run(prove_sandbox(_proofs_of_sandboxes))


@pytest.fixture
def proved_folder(tmp_path: Path, _proof_of_a_sandbox: Path | None) -> Path:
    """The test's folder as a data folder in which the sandbox was proved already.

    For tests that start processes of their own: each would run the attacks again.
    """
    if _proof_of_a_sandbox is not None:
        shutil.copy(_proof_of_a_sandbox, tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def _database_files_left_to_sqlite() -> Iterator[None]:
    """Nothing of the product opens a database's files by itself, whatever a test has it do."""
    RAW_OPENS.clear()
    yield
    assert not RAW_OPENS


@pytest.fixture(autouse=True)
def _closed_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for the outside world fails; this machine's own addresses are open."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            if not (host.startswith("127.") or host in ("::1", "localhost", "0.0.0.0")):
                raise AssertionError(f"a test tried to reach {host}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Ten thousand tests are objects that stay: no later collection of garbage looks at them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """A failure is reported without a collection of garbage in between.

    For a report pytest parses the test's file. Before Python 3.11.8 a finalizer that formats a
    traceback in the midst of that makes it a SystemError, and the whole run ends.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return (yield)
    finally:
        if collects:
            gc.enable()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What could not run here and why; under CI an empty table is required."""
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.section("could not run on this machine")
    if not skipped:
        terminalreporter.write_line("nothing: every test ran")
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"{report.nodeid}: {reason}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    gc.collect()  # plugins are imported at the end, which parses them, too
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped") if reporter is not None else None
    if os.environ.get(STRICT) and exitstatus == 0 and skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
