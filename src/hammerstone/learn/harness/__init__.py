"""The harness track: small experiments on one part of the product, on a copy, kept or reverted."""
