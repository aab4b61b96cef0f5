"""The product's server with a scripted model, for measurements that need a process of its own.

    python -m evals.scripted_server DATA_FOLDER [PORT]

Prints its port and serves until it is interrupted. The database is the one that DATABASE_URL
names, else the file in the data folder.
"""

import socket
import sys
from pathlib import Path

import uvicorn

from hammerstone.core.settings import load_settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.api.server import KEEP_ALIVE_S
from tests.integration.engine import percent_script


def main(data: str, port: str = "0") -> None:
    settings = load_settings(data_dir=Path(data), embedder="off", requests_per_minute=10_000_000)
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(port)))
    listener.listen(2048)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        app, log_level="error", timeout_keep_alive=KEEP_ALIVE_S, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
