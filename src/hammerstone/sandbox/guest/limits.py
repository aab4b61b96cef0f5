"""Resource limits that a process sets on itself, beneath the cgroup's."""

import math
import resource
from collections.abc import Mapping

OPEN_FILES = 256


def set_own_limits(limits: Mapping[str, float], address_space: int | None = None) -> None:
    """Lower this process's limits for good; children inherit them.

    `address_space` caps memory where no cgroup can, and only there: it counts reservations, not
    use, and each process has its own.
    """
    cpu_s = math.ceil(limits["wall_s"]) + 1  # the wall clock ends it earlier, half a core at most
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: int(limits["file_bytes"]),
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if address_space is not None:
        wanted[resource.RLIMIT_AS] = address_space
    for name, value in wanted.items():
        _, hard = resource.getrlimit(name)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (allowed, allowed))
