"""Runs the command line as a user without any rights."""

import os
import sys

NOBODY = 65534


def run_as_nobody(words: list[str], env: dict[str, str]) -> tuple[int, str]:
    """Exit code and stderr of `hammerstone WORDS` after giving up root.

    The interpreter may lie in root's home, which nobody may enter, so the modules are loaded
    before the rights are dropped.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.close(read)
            os.dup2(write, 2)
            status = _inside(words, env)
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as stream:
        errors = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), errors


def _inside(words: list[str], env: dict[str, str]) -> int:
    import hammerstone.app.hammerstone  # noqa: F401
    from hammerstone.serve.cli import main

    main.command_line()
    os.environ.update(env)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    sys.argv = ["hammerstone", *words]
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    try:
        main.main()
    except SystemExit as end:
        sys.stderr.flush()
        return end.code if isinstance(end.code, int) else 1
    return 0
