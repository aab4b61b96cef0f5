"""The model process: `python -m hammerstone.models.local.server`.

It detaches from whoever started it, answers on loopback with a random key and without CORS,
and leaves on its own when nobody has asked anything for a while.
"""

import argparse
import http.client
import importlib
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from hammerstone.models.local.lora import LoraAdapter
from hammerstone.models.local.rendezvous import ALREADY_RUNNING, Endpoint, Rendezvous, sign, take
from hammerstone.models.local.scheduling import raise_priority

SLOTS = 4  # measured: 8 slots on 2 cores write no more tokens per second than 4
CONTEXT_TOKENS = 16_384  # shared by the slots
# A request that was given up is noticed after each batch of prompt tokens, so a batch must
# not take long: 128 tokens are about 2 s on two old cores.
BATCH_TOKENS = 128
PROMPT_CACHE_MIB = 1024
POLL_S = 2.0


def main(arguments: list[str] | None = None) -> int:
    """Detach, load the model, serve until idle. The starter's child returns at once."""
    parser = argparse.ArgumentParser(prog="hammerstone-model")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--idle-s", type=float, default=600.0)
    parser.add_argument("--adapter", type=Path, action="append", default=[])
    parser.add_argument("--raised", action="store_true")
    options = parser.parse_args(arguments)
    adapters = [LoraAdapter(path) for path in options.adapter]
    meeting = Rendezvous(options.runtime, options.model, adapters)
    lock = _take_patiently(meeting.lock_file)
    if lock is None:
        return ALREADY_RUNNING
    if os.fork():
        return 0
    os.setsid()
    sign(lock)
    if options.raised:
        raise_priority()
    _serve(meeting, options.threads, options.idle_s, options.adapter)
    return 0


def _take_patiently(path: Path) -> int | None:
    """Others look whether the lock is held by sharing it for microseconds; outlast that."""
    for _ in range(20):
        lock = take(path)
        if lock is not None:
            return lock
        time.sleep(0.01)
    return None


def _serve(meeting: Rendezvous, threads: int, idle_s: float, adapters: Sequence[Path]) -> None:
    leaving = False

    def leave(_signal: int, _frame: FrameType | None) -> None:
        nonlocal leaving
        leaving = True

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    key = secrets.token_urlsafe(32)
    server = _load(meeting.model_path, threads, key, adapters)
    endpoint = Endpoint(os.getpid(), int(server.listening_address.rpartition(":")[2]), key)
    meeting.publish(endpoint)
    seen, since = _activity(endpoint), time.monotonic()
    while not leaving:
        time.sleep(POLL_S)
        now = _activity(endpoint)
        if now != seen or "busy" in now:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > idle_s:
            leaving = True
    meeting.withdraw(endpoint.pid)
    # llama.cpp's teardown may wait for requests in flight; everything durable is written.
    os._exit(0)


def _load(model: Path, threads: int, key: str, adapters: Sequence[Path] = ()) -> Any:
    xllamacpp: Any = importlib.import_module("xllamacpp")  # 100 MB, an extra, without types
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {"local"}
    loaded: list[Any] = []
    for path in adapters:
        lora = xllamacpp.CommonAdapterLoraInfo()
        lora.path, lora.scale = str(path), 1.0  # each prompt says which one it wants
        loaded.append(lora)
    params.lora_adapters = loaded
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = SLOTS
    params.kv_unified = True  # the slots share what they have read
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.fit_params = False  # together with the warm-up this triples the time to load
    params.warmup = False
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    # The library's default lets every web page ask; empty values let none.
    params.cors_origins = params.cors_headers = params.cors_methods = ""
    params.cors_origins_explicit = True
    params.cors_credentials = False
    params.ui = False
    params.endpoint_slots = True
    params.verbosity = 1
    return xllamacpp.Server(params)


def _activity(endpoint: Endpoint) -> str:
    """Changes whenever something was asked; contains "busy" while something is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=60)
    try:
        connection.request("GET", "/slots", headers={"Authorization": f"Bearer {endpoint.key}"})
        slots = json.load(connection.getresponse())
    except (OSError, ValueError, http.client.HTTPException):
        return "busy"
    finally:
        connection.close()
    return " ".join(
        f"{slot.get('id_task')}:{'busy' if slot['is_processing'] else 'free'}" for slot in slots
    )


if __name__ == "__main__":
    sys.exit(main())
