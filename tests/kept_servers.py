"""Fork servers of the sandbox that one test leaves are taken by the next one of its process.

An engine starts four of them, and they cost more processor time than most tests do with them. Each
guest is still a fresh process in fresh namespaces; the tests of the sandboxes start their own.
"""

import asyncio
import contextlib
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

OWN_SERVERS = ("tests/conformance/", "tests/unit/sandbox/", "tests/chaos/", "tests/architecture/")
_MOST = 8
# A server dies with the thread that started it, and some tests run an engine in a thread.
_starter = ThreadPoolExecutor(1, thread_name_prefix="fork servers")
_idle: list[tuple[Any, Any, Any]] = []  # what it was made for, the slot, its spare


def keep_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Does nothing for tests that have not loaded a sandbox: they need none, or load it late."""
    if "hammerstone.sandbox.opening" not in sys.modules:
        return
    from hammerstone.sandbox.bubblewrap import forkserver, pool

    spawn = forkserver.spawn
    new_slot, close = pool.BubblewrapPool._new_slot, pool.BubblewrapPool.close

    def spawned(*arguments: Any, **options: Any) -> Any:
        return _starter.submit(spawn, *arguments, **options).result()

    async def kept_or_new(self: Any, family: Any) -> Any:
        slot = None if self._closed else await _take((self._runtime, family.packages))
        if slot is None:
            return await new_slot(self, family)
        self._all.add(slot)
        return slot

    async def keep_and_close(self: Any) -> None:
        for family in self._families.values():
            for slot in [*family.idle]:
                if len(_idle) < _MOST and (spare := await _left(slot)) is not None:
                    family.idle.remove(slot)
                    self._all.discard(slot)
                    _idle.append(((self._runtime, family.packages), slot, spare))
        await close(self)

    monkeypatch.setattr(forkserver, "spawn", spawned)
    monkeypatch.setattr(pool.BubblewrapPool, "_new_slot", kept_or_new)
    monkeypatch.setattr(pool.BubblewrapPool, "close", keep_and_close)


async def _left(slot: Any) -> Any:
    """The spare of a server that can be kept, which this loop then hears nothing of any more."""
    if slot.worn_out or slot._next is None:
        return None
    try:
        spare = await slot._next
    except Exception:  # whoever closes the pool deals with it
        return None
    asyncio.get_running_loop().remove_reader(slot.server._control)
    slot._next = None
    return spare


async def _take(purpose: Any) -> Any:
    """A kept slot of the same packages and runtime on this loop, or None."""
    loop = asyncio.get_running_loop()
    for kept in [one for one in _idle if one[0] == purpose]:
        with contextlib.suppress(ValueError):  # another thread may take it first
            _idle.remove(kept)
            _, slot, spare = kept
            server = slot.server
            server._messages = asyncio.Queue()
            server._exits = {spare.pid: loop.create_future()}
            loop.add_reader(server._control, server._hear)
            slot._next = loop.create_future()
            slot._next.set_result(spare)
            if not spare.dead:
                return slot
            await slot.close()
    return None


def end_servers() -> None:
    """At the end of the process's tests."""

    async def end() -> None:
        for purpose in {one[0] for one in _idle}:
            while (slot := await _take(purpose)) is not None:
                await slot.close()

    asyncio.run(end())
    _starter.shutdown()
