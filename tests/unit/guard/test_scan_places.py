"""Writing to the places that a call has to itself is nobody's business."""

import pytest

from hammerstone.core.tools import Effect
from hammerstone.guard.scan import scan

OWN = [
    "open('out/rows.csv', 'w')",
    "open(f'out/{name}.csv', mode='w')",
    "open('out/' + name, 'a')",
    "open(file='/tmp/work.txt', mode='w')",
    "PATH = 'out/a.txt'\nwith open(PATH, 'w') as file:\n    file.write('x')",
    "import os\nos.makedirs('out', exist_ok=True)\nopen(os.path.join('out', name), 'wb')",
    "from os import makedirs\nmakedirs('out/deep')",
    "from pathlib import Path\n(Path('out') / name).write_text('x')",
    "from pathlib import Path\nfolder = Path('out')\nfolder.joinpath(name).open('w')",
    "from pathlib import Path\nPath('out', name).write_bytes(b'x')",
    "import shutil\nshutil.copy(given, 'out/copy.csv')",
    "import zipfile\nzipfile.ZipFile(given).extractall('/tmp/there')",
]


@pytest.mark.parametrize("code", OWN)
def test_any_tool_may_write_to_the_places_of_its_own(code: str) -> None:
    assert [found for found in scan(code) if found.blocks] == []


ELSEWHERE = [
    "open('out.csv', 'w')",
    "open('outside/rows.csv', 'w')",
    "open('out' + name, 'w')",
    "open('out/../rows.csv', 'w')",
    "open(f'out/../{name}', 'w')",
    "open('/etc/out/x', 'w')",
    "def f(path='out/x'):\n    open(path, 'w')",
    "path = 'out/x'\npath = given\nopen(path, 'w')",
    "path = 'out/x'\nfor path in given:\n    open(path, 'w')",
    "import os\nos.makedirs('/srv/out')",
    "import os\nremove = os.remove\nremove('out/x')",
    "from os import remove\nremove(given)",
    "from os import remove as gone\ngone('/srv/x')",
    "import shutil\nshutil.move('/srv/x', 'out/x')",
    "import zipfile\nzipfile.ZipFile('out/x.zip').extractall()",
]


@pytest.mark.parametrize("code", ELSEWHERE)
def test_a_place_that_is_not_its_own_is_refused(code: str) -> None:
    assert "writes" in {found.rule for found in scan(code, Effect.READS) if found.blocks}


def test_a_tool_that_makes_files_may_write_where_only_the_call_knows() -> None:
    code = "import os\ndef f(path):\n    open(path, 'w')\n    os.makedirs(path)"
    assert scan(code)[0].blocks
    assert scan(code, makes_files=True) == []


@pytest.mark.parametrize("path", ["/etc/passwd", "~/x", "../x", "out/../../x"])
def test_a_stated_place_elsewhere_is_refused_whatever_the_tool_makes(path: str) -> None:
    (found,) = scan(f"open({path!r}, 'w')", makes_files=True)
    assert found.blocks and found.rule == "writes"
