"""Run by a test as another user: forbids itself namespaces, then attacks the backend."""

import asyncio
import json
import os
import sys
from pathlib import Path

sys.path[:0] = sys.argv[1:3]

import pyseccomp as seccomp  # noqa: E402 - the path is set just above

from hammerstone.core.settings import load_settings  # noqa: E402
from hammerstone.sandbox.conformance import run_probes  # noqa: E402
from hammerstone.sandbox.opening import open_backend_sandbox  # noqa: E402

CLONE_NEWUSER = 0x10000000


def forbid_namespaces():
    """As a container engine's own filter does."""
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in ("unshare", "setns", "mount"):
        rules.add_rule(seccomp.ERRNO(1), name)
    new_user = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)
    rules.add_rule(seccomp.ERRNO(1), "clone", new_user)
    rules.add_rule(seccomp.ERRNO(38), "clone3")
    rules.load()


def try_namespaces():
    import ctypes

    return "refused" if ctypes.CDLL(None).unshare(CLONE_NEWUSER) else "allowed"


async def main():
    forbid_namespaces()
    settings = load_settings(data_dir=Path.home() / "data")
    sandbox = await open_backend_sandbox("landlock", settings)
    report = await run_probes(sandbox)
    await sandbox.close()
    found = {**report.to_json(), "uid": os.getuid(), "namespaces": try_namespaces()}
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
