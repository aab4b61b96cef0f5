"""The published precision and recall hold: the evaluation itself is run."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def test_precision_and_recall_on_the_held_out_half() -> None:
    script = ROOT / "evals" / "scrubber.py"
    done = subprocess.run(
        [sys.executable, str(script), "--json"], capture_output=True, text=True, check=True
    )
    table = json.loads(done.stdout)["held_out"]
    assert table["all"]["positives"] >= 300
    assert table["all"]["lookalikes"] >= 300
    assert len(table) >= 12
    for kind, row in table.items():
        assert row["recall"] >= 0.95, kind
        assert row["precision"] >= 0.95, kind
