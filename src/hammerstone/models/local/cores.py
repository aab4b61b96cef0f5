"""How many cores this process may really use."""

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


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
