"""Finding the model process of this user, or starting it."""

import asyncio
import importlib.util
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from hammerstone.core.errors import ModelMissing, ModelUnavailable
from hammerstone.models.local.lora import LoraAdapter
from hammerstone.models.local.rendezvous import ALREADY_RUNNING, Endpoint, Rendezvous, take
from hammerstone.models.local.scheduling import Scheduling, available_cores
from hammerstone.tracing import span

SHIPPED = Scheduling()
SERVER = ("-m", "hammerstone.models.local.server")
LOAD_LIMIT_S = 180.0
POLL_S = 0.05
# What the model process needs of the environment; keys and tokens stay out of it.
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT")


class ModelProcess:
    """The one model process for a model file and its adapters, wherever it was started."""

    def __init__(
        self,
        runtime_dir: Path,
        model_path: Path,
        *,
        threads: int = 0,
        idle_s: float = 600.0,
        scheduling: Scheduling = SHIPPED,
        adapters: Sequence[LoraAdapter] = (),
    ) -> None:
        self.meeting = Rendezvous(runtime_dir, model_path, adapters)
        self._adapters = tuple(adapters)
        self._threads = threads or available_cores()
        self._idle_s = idle_s
        self._scheduling = scheduling

    def find(self) -> Endpoint | None:
        """The process if it is up; costs two file reads."""
        return self.meeting.find()

    async def ensure(self) -> Endpoint:
        """The process, started if need be. Of several callers at once one starts it."""
        endpoint = self.find()
        if endpoint is not None:
            return endpoint
        self._check_present()
        self.meeting.prepare()
        deadline = time.monotonic() + LOAD_LIMIT_S
        while (starting := take(self.meeting.starting_file)) is None:
            await self._pause(deadline)
        try:
            if (endpoint := self.find()) is None:
                name = f"load model {self.meeting.model_path.name}"
                with span(name, kind="storage"):
                    if not self.meeting.held():
                        await self._start()
                    endpoint = await self._ready(deadline)
            return endpoint
        finally:
            os.close(starting)

    def stop(self) -> bool:
        """Ask the process to leave; False when there is none."""
        endpoint = self.find()
        if endpoint is None:
            return False
        try:
            os.kill(endpoint.pid, 15)
        except ProcessLookupError:
            return False
        return True

    def _check_present(self) -> None:
        if not self.meeting.model_path.is_file():
            path = self.meeting.model_path.resolve()  # a copy's folder of models is a link
            raise ModelMissing(
                f"the embedded model is not here: {path}",
                hint="hammerstone model pull",
                path=str(path),
            )
        for adapter in self._adapters:
            adapter.check_present()
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelMissing(
                "the embedded model needs the package xllamacpp",
                hint="pip install xllamacpp",
            )

    async def _start(self) -> None:
        command = [sys.executable, *SERVER]
        command += ["--model", str(self.meeting.model_path.resolve())]
        command += ["--runtime", str(self.meeting.runtime_dir.resolve())]
        command += ["--threads", str(self._threads), "--idle-s", str(self._idle_s)]
        for adapter in self._adapters:
            command += ["--adapter", str(adapter.path.resolve())]
        command += ["--raised"] if self._scheduling.raised else []
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= self._scheduling.environment()
        with self.meeting.log_file.open("wb") as log:
            child = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        # The child forks the real process and returns, so nobody has to reap that one.
        if await child.wait() not in (0, ALREADY_RUNNING):
            raise self._failed("could not be started")

    async def _ready(self, deadline: float) -> Endpoint:
        while (endpoint := self.find()) is None:
            if not self.meeting.held():
                raise self._failed("ended while loading")
            await self._pause(deadline)
        async with httpx.AsyncClient(base_url=endpoint.url, trust_env=False) as client:
            try:
                (await client.get("/health", timeout=30)).raise_for_status()
            except httpx.HTTPError as error:
                raise self._failed(f"does not answer ({error})") from None
        return endpoint

    async def _pause(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise self._failed(f"did not become ready within {LOAD_LIMIT_S:.0f} s")
        await asyncio.sleep(POLL_S)

    def _failed(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"the embedded model's process {what}",
            hint=f"see {self.meeting.log_file}; `hammerstone model pull` checks the file",
            log=self.meeting.log_tail(),
        )
