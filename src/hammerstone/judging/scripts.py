"""Whether a program passes tests that are a script of their own."""

from dataclasses import replace

from hammerstone.core.calls import STANDARD, Call, Failure, Program
from hammerstone.core.seams import Sandbox

_DONE = "hammerstone_ran_to_the_end"
_LIMITS = replace(STANDARD, wall_s=60.0, memory_bytes=1 << 30)
_PATIENT = replace(_LIMITS, wall_s=240.0)


async def passes_script(sandbox: Sandbox, code: str, tests: str, imports: str = "") -> bool:
    """Whether the code, followed by the tests, runs to the end."""
    if not code:
        return False
    script = f"{imports}\n{code}\n{tests}\ndef {_DONE}():\n    return True\n"
    program = Program(script, _DONE)
    outcome = await sandbox.call(program, Call(), limits=_LIMITS)
    if outcome.failure in (Failure.TIMEOUT, Failure.LOST):
        # A busy machine is no reason to call code wrong: once more, with more time.
        outcome = await sandbox.call(program, Call(), limits=_PATIENT)
    return outcome.value is True
