"""Secrets and personal data out of everything that is stored, exported or logged."""

from hammerstone.tracing.scrub.scrubber import ALL_KINDS, Scrubber

__all__ = ["ALL_KINDS", "Scrubber"]
