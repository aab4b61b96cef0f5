"""Behaviour around a model, one decision a file; each is a `Model` itself, so they nest."""
