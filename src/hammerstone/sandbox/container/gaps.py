"""What this backend cannot do, by the names of the probes that show it."""

from collections.abc import Mapping

from hammerstone.sandbox.container.options import Engine

_NO_INODE_LIMIT = {
    "memory.tmp_inodes": (
        "Podman takes no limit on the number of files in a tmpfs; their memory counts against "
        "the container's, so they end there"
    ),
}


def gaps_of(engine: Engine) -> Mapping[str, str]:
    return {} if engine.counts_inodes else _NO_INODE_LIMIT
