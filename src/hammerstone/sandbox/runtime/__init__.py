"""The relocatable Python that guests see as their whole file system, in three cached layers.

    base      the interpreter, its standard library, the shared libraries they need: the root
    guest     the harness, at /opt/guest
    packages  the scientific stack, at /opt/packages; added later, because nothing waits for it

Each layer is a folder named by a hash of what it is made from, built aside and renamed into
place, so that any number of processes may race and a killed build leaves nothing half done.
"""

from hammerstone.sandbox.runtime.layers import (
    Runtime,
    add_packages,
    packages_present,
    prepare_runtime,
    wanted_modules,
)

__all__ = ["Runtime", "add_packages", "packages_present", "prepare_runtime", "wanted_modules"]
