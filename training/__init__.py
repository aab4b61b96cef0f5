"""Makes the embedded model's own adapter: data, sampling, filter, training, export.

Not part of the package: the product only loads what comes out of it. `docs/design/adapter.md`.
"""
