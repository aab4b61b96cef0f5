"""Every probe, by theme, and the few that are fast enough to run at each start."""

from hammerstone.sandbox.conformance import (
    channel,
    files,
    memory,
    network,
    privileges,
    processes,
    results,
    state,
)
from hammerstone.sandbox.conformance.probe import Probe

PROBES: tuple[Probe, ...] = (
    *files.PROBES,
    *network.PROBES,
    *processes.PROBES,
    *memory.PROBES,
    *privileges.PROBES,
    *channel.PROBES,
    *state.PROBES,
    *results.PROBES,
)

FAST: frozenset[str] = frozenset(probe.name for probe in PROBES if probe.fast)
