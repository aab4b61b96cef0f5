"""Program that a backend without a fork server executes: one process, one task.

    python -I -S -B start.py [channel] [stdout] [stderr]

With a channel (the number of an inherited socket) the task comes and the answer goes through
it, and `stdout` and `stderr` are inherited files. Without arguments the task comes from
standard input and the answer goes to standard output, which generated code then no longer has.
Everything is confined before this program starts.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)).split("/hammerstone/sandbox/")[0])
_packages = os.environ.get("HAMMERSTONE_PACKAGES", "/opt/packages")
if os.path.isdir(_packages):
    sys.path.append(_packages)

from hammerstone.sandbox.guest.harness import serve  # noqa: E402 - the path is set just above

if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:4]]
    if numbers:
        serve(numbers[0], numbers[0], *numbers[1:3])
    else:
        task, answer = os.dup(0), os.dup(1)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        serve(task, answer)
