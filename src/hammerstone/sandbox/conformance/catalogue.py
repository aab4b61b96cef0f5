"""Every probe, by theme, and the few that are fast enough to run at each start."""

from hammerstone.sandbox.conformance import (
    files,
    memory,
    network,
    privileges,
    probe_channel,
    probe_state,
    processes,
    results,
)
from hammerstone.sandbox.conformance.probe import Probe

PROBES: tuple[Probe, ...] = (
    *files.PROBES,
    *network.PROBES,
    *processes.PROBES,
    *memory.PROBES,
    *privileges.PROBES,
    *probe_channel.PROBES,
    *probe_state.PROBES,
    *results.PROBES,
)

FAST: frozenset[str] = frozenset(probe.name for probe in PROBES if probe.fast)
