"""The application on a free port, for tests that need a real server."""

import asyncio
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script


class ClosingServer(uvicorn.Server):
    """A server that leaves no connection open: a busy machine may cut the wait for them short."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0.01)  # connections hear of it in the loop's next turn


@dataclass
class Served:
    """The application on a free port, in a thread of its own."""

    address: str
    server: uvicorn.Server
    thread: threading.Thread
    port: int

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


def serve(data_dir: Path, model: ScriptedModel | None = None, port: int = 0, **more: Any) -> Served:
    settings = Settings(data_dir=data_dir, embedder="off", **more)
    app = create_app(settings, models=OneModel(model or ScriptedModel(percent_script())))
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    number = listener.getsockname()[1]
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = ClosingServer(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline and thread.is_alive(), "the server did not start"
        time.sleep(0.02)
    return Served(f"http://127.0.0.1:{number}/", server, thread, number)
