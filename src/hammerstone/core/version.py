"""Which version this is; the package's metadata are made from it."""

VERSION = "0.2.0"
