"""Starts the web server, on loopback unless a token protects it."""

import socket
import webbrowser

import uvicorn

from hammerstone.core.errors import SettingsError
from hammerstone.core.settings import Settings
from hammerstone.serve.api.app import create_app

_WAITING = 128  # connections that may wait until the application is ready
# Longer than clients and proxies keep an idle connection: whoever closes first must not be the
# server, or a request that is just sent is lost.
KEEP_ALIVE_S = 75


def run_server(settings: Settings, *, open_browser: bool = False) -> None:
    """Serve until interrupted."""
    refuse_open_doors(settings)
    listener = opened_door(settings)
    host, port = listener.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"Hammerstone is at {address}  (Ctrl-C stops it)", flush=True)  # noqa: T201
    if open_browser:
        webbrowser.open(address)
    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        access_log=False,
        ws_max_size=settings.max_body_bytes,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[listener])


def refuse_open_doors(settings: Settings) -> None:
    """Any address but loopback needs a token: raises `SettingsError`."""
    if settings.token is None and not settings.on_loopback:
        raise SettingsError(
            f"listening on {settings.host} would let others in without a password",
            hint="set HAMMERSTONE_TOKEN, or leave the host at 127.0.0.1",
        )


def opened_door(settings: Settings) -> socket.socket:
    """A socket that takes connections from now on; raises `SettingsError` where it cannot."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(_WAITING)  # now: a browser that is opened early waits instead of failing
    except OSError as error:
        listener.close()
        raise SettingsError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}",
            hint="choose another with --port, or --port 0 for a free one",
        ) from None
    return listener
