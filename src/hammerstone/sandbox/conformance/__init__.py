"""Attacks that every sandbox backend must contain, shipped so that each machine can prove it."""

from hammerstone.sandbox.conformance.probe import Probe, ProbeFinding, ProbeKind
from hammerstone.sandbox.conformance.run import FAST, PROBES, ProbeResult, Report, run_probes

__all__ = [
    "FAST",
    "PROBES",
    "Probe",
    "ProbeFinding",
    "ProbeKind",
    "ProbeResult",
    "Report",
    "run_probes",
]
