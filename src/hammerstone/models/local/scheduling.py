"""How the model process behaves where other programs want the same cores.

The threads of llama.cpp meet hundreds of times a token. While they wait for each other, libgomp
lets them spin for milliseconds: on busy cores they burn the very time that the one they wait for
needs, and two threads write 8 to 20 times fewer tokens than they could. Spinning only for a
moment is enough on idle cores, because there the others arrive within it. For the same reason there
are no more threads than cores that this process may really use.
"""

import contextlib
import math
import os
from dataclasses import dataclass
from pathlib import Path

AUTOGROUP = Path("/proc/self/autogroup")
RAISED = -5  # about three times the share of an ordinary process

CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Scheduling:
    """How long threads spin (None: as libgomp pleases), and whether they go before others."""

    spin: int | None = 10_000
    raised: bool = True

    def environment(self) -> dict[str, str]:
        return {} if self.spin is None else {"GOMP_SPINCOUNT": str(self.spin)}


def raise_priority(autogroup: Path = AUTOGROUP) -> int:
    """Go before other programs where this user may; the niceness that came of it.

    Call it before there are threads, which inherit it. A process that was started with a lower
    priority keeps that: somebody meant it to wait. Where each session is scheduled as a group
    (Linux, autogroup), niceness counts only inside the session, so the group gets the same.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    if niceness == 0:
        with contextlib.suppress(OSError):  # not allowed: an ordinary user on most systems
            os.setpriority(os.PRIO_PROCESS, 0, RAISED)
        niceness = os.getpriority(os.PRIO_PROCESS, 0)
    if niceness:
        with contextlib.suppress(OSError):  # no Linux, or a kernel without groups
            autogroup.write_text(str(niceness))
    return niceness


def available_cores(cgroup: Path = CGROUP) -> int:
    """Cores by affinity, lowered by a container's CPU quota.

    llama.cpp's threads spin while they wait for each other, so one thread more than the quota
    allows makes every token many times slower.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _quota(cgroup)
    return max(1, min(cores or 1, math.ceil(quota) if quota else cores or 1))


def _quota(cgroup: Path) -> float | None:
    try:
        limit, _, period = (cgroup / "cpu.max").read_text().strip().partition(" ")
        return None if limit == "max" else int(limit) / int(period or 100_000)
    except (OSError, ValueError):
        pass
    try:
        limit_us = int((cgroup / "cpu" / "cpu.cfs_quota_us").read_text())
        period_us = int((cgroup / "cpu" / "cpu.cfs_period_us").read_text())
    except (OSError, ValueError):
        return None
    return limit_us / period_us if limit_us > 0 and period_us > 0 else None
