"""PostgreSQL restarted again and again while runs are active: none is lost or paid for twice."""

import importlib
import json
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from evals.crash_child import SANDBOX, Place, ask_many, record, state, wake
from evals.crash_rounds import LOADED, ended, fork, notes_of
from tests.storage.postgres_server import shared_server

_THINK_S = 3.0  # long enough that each restart finds runs at work
_BETWEEN_S = 0.5


def restarts(times: int, runs: int) -> dict[str, Any]:
    """So many restarts of the server while so many runs are under way in one process."""
    for name in LOADED:
        importlib.import_module(name)
    base = Path(tempfile.mkdtemp(prefix="crash-"))
    try:
        with shared_server(f"again{secrets.token_hex(3)}", options="") as server:
            place = Place(str(base), server.url())
            first = base / "recorded"
            first.mkdir()
            assert ended(fork(lambda: record(Place(str(first)))), 300) == 0
            shutil.copy(first / SANDBOX, base / SANDBOX)
            ended(fork(lambda: state(place, [])))  # makes the tables
            ids = [f"r{number}" for number in range(runs)]
            asking = fork(lambda: ask_many(place, ids, _THINK_S), base / "asked")
            while len(notes_of(place, "paid")) < runs // 2:
                time.sleep(0.1)
            done = 0
            for _ in range(times):
                server.stop("fast" if done % 2 else "immediate")
                server.start()
                done += 1
                time.sleep(_BETWEEN_S)
            code = ended(asking, 300)
            errors = Counter(note[1].partition(" ")[2][:90] for note in notes_of(place, "error"))
            time.sleep(31)  # the leases of runs that were given up in the middle
            ended(fork(lambda: wake(place, 0.0)), 300)
            told = base / "state"
            assert ended(fork(lambda: state(place, ids), told)) == 0
            found = json.loads(told.read_text("utf-8"))["runs"]
            return {
                "restarts": done,
                "asked": runs,
                "stored": len(found),
                "statuses": dict(Counter(run["status"] for run in found.values())),
                "answered": len(notes_of(place, "answered")),
                "errors": sum(errors.values()),
                "errors_said": errors,
                "continued": len(notes_of(place, "continued")),
                "lost": sum(run["result"] != 42 for run in found.values()) + runs - len(found),
                "paid": len(notes_of(place, "paid")),
                "paid_in_whole_runs": 2 * runs,
                "said_twice": sum(run["messages"] != 2 for run in found.values()),
                "exit": code,
            }
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]] or [20, 50]
    print(json.dumps(restarts(*given), indent=1))
