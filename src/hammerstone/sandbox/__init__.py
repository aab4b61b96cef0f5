"""Runs code nobody reviewed: `open_sandbox(settings)` gives a `core.seams.Sandbox`.

How the parts fit, and how a backend plugs in:

    opening.py    tries the backends in order and gives the first that passes its self-test
    sandbox.py    `GuestSandbox`: the Sandbox contract (matrix, retries, deadlines) over a backend
    backend.py    `Backend` and `Guest`: what a backend implements, nothing more
    guest_session.py  the host's side of the protocol: one task in, outcomes out, verdict-free
    runtime/      the relocatable Python that every backend shows to its guests
    guest/        what runs inside, standard library only; protocol.py describes the frames
    seccomp/      the system calls a guest may make: list, compiler, compiled filters
    bubblewrap/   fork servers in namespaces and cgroups
    landlock/     one process that cannot make another
    container/    Docker or Podman
    conformance/  the attacks that every backend must withstand

A backend gives `start(limits, files)`: a confined process that runs `guest/harness.py` and
waits for its task, as a `Guest` with `send`, `receive` and `end`. Everything above that (frames,
caps, time-outs, restarts after harm, artifacts) is shared. Registering one is a line in
`opening.BACKENDS`.
"""

from hammerstone.sandbox.opening import open_backend_sandbox, open_sandbox
from hammerstone.sandbox.report import BackendFinding, sandbox_report

__all__ = ["BackendFinding", "open_backend_sandbox", "open_sandbox", "sandbox_report"]
