"""Behaviour around a model; each is a `Model` itself, so they nest."""
