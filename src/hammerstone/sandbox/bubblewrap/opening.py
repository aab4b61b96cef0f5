"""Opens the bubblewrap backend, or says what is missing and how to get it."""

import os

from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import Backend
from hammerstone.sandbox.bubblewrap.cold import ColdBubblewrap
from hammerstone.sandbox.bubblewrap.command import find_bwrap
from hammerstone.sandbox.bubblewrap.pool import BubblewrapPool
from hammerstone.sandbox.cgroups import CgroupsUnavailable, CgroupTree, find_tree
from hammerstone.sandbox.opening import slots_of
from hammerstone.sandbox.runtime import prepare_runtime


async def open_backend(settings: Settings) -> Backend:
    find_bwrap()
    tree = cgroup_tree()
    runtime = await prepare_runtime(settings)
    slots = slots_of(settings)
    pool = BubblewrapPool(settings, runtime, tree, slots)
    try:
        await pool.warm_up(1)
        pool.warm_up_later(slots - 1)
    except SandboxLost:
        # Some hosts allow bubblewrap's namespaces but none within them.
        await pool.close()
        return ColdBubblewrap(runtime, tree, slots)
    return pool


def cgroup_tree() -> CgroupTree:
    """Where limits can be set; without them memory cannot be capped, so there is no going on."""
    try:
        return find_tree()
    except CgroupsUnavailable as error:
        raise SandboxRefused(
            f"no right to limit memory, processes and CPU by cgroup ({error})", hint=cgroup_fix()
        ) from None


def cgroup_fix() -> str:
    """The command that gives an ordinary user that right on this machine."""
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):  # noqa: PTH110
        return "systemd-run --user --scope -p Delegate=yes hammerstone ..."
    folders = "/sys/fs/cgroup/{memory,pids,cpu,cpuacct,unified}/hammerstone"
    return f"sudo bash -c 'mkdir -p {folders} && chown -R {os.getuid()} {folders}'"
