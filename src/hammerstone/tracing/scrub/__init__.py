"""Secrets and personal data out of everything that is stored, exported or logged."""

from hammerstone.tracing.scrub.scrubber import ALL_KINDS, Scrubber, ScrubPolicy

__all__ = ["ALL_KINDS", "ScrubPolicy", "Scrubber"]
