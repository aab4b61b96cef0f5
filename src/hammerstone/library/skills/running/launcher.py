# pyright: basic
"""Runs a skill's script inside the sandbox; its source is the program, it is never imported.

The script sees the skill's folder as its working directory, `argv` and `stdin` as given, and an
`out` folder whose files are kept. What it prints is captured by the sandbox.
"""

import io
import os
import runpy
import shutil
import sys
from pathlib import Path


def launch(script, argv, stdin, layout):
    """The exit code of a script. `layout` maps paths in the skill to where the files lie."""
    here = Path.cwd()
    root, out = here / "skill", here / "out"
    for path, place in layout.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, target)
    root.mkdir(exist_ok=True)
    os.chdir(root)
    if not (root / "out").exists():
        (root / "out").symlink_to(out)
    program = root / script
    sys.argv = [str(program), *argv]
    sys.path.insert(0, str(program.parent))
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "replace")), encoding="utf-8")
    try:
        runpy.run_path(str(program), run_name="__main__")
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, bool):
            return int(bool(leaving.code))
        if isinstance(leaving.code, int):
            return leaving.code
        sys.stderr.write(f"{leaving.code}\n")
        return 1
    return 0
