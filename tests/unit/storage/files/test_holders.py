"""Who has a database open."""

import subprocess
import sys
from pathlib import Path

from hammerstone.storage.files.hold import Hold, holders

_HOLDING = """
import sys
from pathlib import Path
from hammerstone.storage.files.hold import Hold
hold = Hold.take_alone(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_another_process_is_named_and_the_own_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "hammerstone.db"
    assert holders(file) == []
    own = Hold.take_alone(file)
    assert holders(file) == []
    own.release()
    command = [sys.executable, "-c", _HOLDING, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        assert holders(file) == [other.pid]
        other.communicate(b"")
    assert holders(file) == []
