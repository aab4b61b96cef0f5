"""Whether a call left the process fit for another one, and how it is made fit again."""

import builtins
import contextlib
import os
import random
import signal
import sys
import threading
from collections.abc import Mapping

_FIXED_MODULES = ("json", "math", "random", "re", "datetime", "os", "time", "decimal")


def reseed() -> None:
    """New random numbers: a forked process would otherwise repeat its siblings'."""
    random.seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        with contextlib.suppress(Exception):
            numpy.random.seed()


class ProcessState:
    """A snapshot of what calls share, to compare with after each of them.

    It notices what well-meant code leaves behind: patched builtins and modules, threads,
    children, handlers, a changed environment. Code that means to hide a change can; it then
    only fools its own later calls, whose values are judged one by one on the host.
    """

    def __init__(self, tmp: str) -> None:
        self._tmp = tmp
        self._environ = dict(os.environ)
        self._builtins = dict(vars(builtins))
        self._modules = {
            name: dict(vars(sys.modules[name])) for name in _FIXED_MODULES if name in sys.modules
        }
        self._path = list(sys.path)
        self._recursion = sys.getrecursionlimit()
        self._alarm = signal.getsignal(signal.SIGALRM)

    def refresh(self) -> None:
        """Fresh randomness, directory and arithmetic for the next call."""
        reseed()
        decimal = sys.modules.get("decimal")
        if decimal is not None:
            with contextlib.suppress(Exception):
                decimal.setcontext(decimal.Context())
        os.chdir(self._tmp)
        self._empty_tmp()

    def _empty_tmp(self) -> None:
        with os.scandir(self._tmp) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        import shutil  # slow to load, and rarely needed

                        shutil.rmtree(entry.path)
                    else:
                        os.unlink(entry.path)

    def harm(self) -> str:
        """What is no longer as it was, or nothing."""
        if threading.active_count() > 1:
            return "threads left running"
        if os.environ != self._environ:
            return "environment changed"
        if not _same(self._builtins, vars(builtins)):
            return "builtins changed"
        for name, before in self._modules.items():
            module = sys.modules.get(name)
            if module is None or not _same(before, vars(module)):
                return f"module {name} changed"
        if sys.path != self._path or sys.getrecursionlimit() != self._recursion:
            return "interpreter settings changed"
        if signal.getsignal(signal.SIGALRM) is not self._alarm:
            return "signal handlers changed"
        return "processes left running" if _has_children() else ""


def _same(before: Mapping[str, object], now: Mapping[str, object]) -> bool:
    """Compared in C, by identity first: this runs after every call, over hundreds of names."""
    try:
        return before == now
    except Exception:  # something that cannot be compared was put there
        return False


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    except OSError:
        return False
    return True
