"""Proofs that are owed for answers given already: stored, done when nobody waits, told."""

from hammerstone.app.proofs.desk import ProofDesk
from hammerstone.app.proofs.result import ProofResult

__all__ = ["ProofDesk", "ProofResult"]
