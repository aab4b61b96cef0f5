"""Attacks that every sandbox backend must contain, shipped so that each machine can prove it."""

from hammerstone.sandbox.conformance.catalogue import FAST, PROBES
from hammerstone.sandbox.conformance.probe import Probe, ProbeFinding, ProbeKind
from hammerstone.sandbox.conformance.probe_report import ProbeResult, Report
from hammerstone.sandbox.conformance.run import run_probes

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
