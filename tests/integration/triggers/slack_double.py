"""Slack as far as a bot sees it: the Web API's methods, on a real port, with a memory."""

import hashlib
import hmac
import json
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

import uvicorn

SIGNING = "8f742231b10e8888abcd99yyyzzz85a5"
TOKEN = "xoxb-test-0123456789"


@dataclass
class SlackDouble:
    """What was posted, edited and uploaded; `gone` are channels that disappeared."""

    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    edits: list[tuple[str, str]] = field(default_factory=list)
    uploads: list[tuple[str, bytes]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    unauthorized: int = 0
    address: str = ""
    _waiting: dict[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        return [one["text"] for one in self.messages.values()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        path = scope["path"]
        status, answer = self._answer(path, headers, body)
        kind = b"application/json" if isinstance(answer, dict) else b"application/octet-stream"
        said = json.dumps(answer).encode() if isinstance(answer, dict) else answer
        start = {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", kind)],
        }
        await send(start)
        await send({"type": "http.response.body", "body": said})

    def _answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        if path.startswith("/upload/"):
            name = self._waiting.pop(path.rpartition("/")[2])
            self.uploads.append((name, body))
            return 200, b"OK"
        if headers.get("authorization") != f"Bearer {TOKEN}":
            self.unauthorized += 1
            return 200, {"ok": False, "error": "invalid_auth"}
        if path.startswith("/files/"):
            return 200, self.files[path.removeprefix("/files/")]
        method = path.removeprefix("/api/")
        return 200, getattr(self, method.replace(".", "_"))(_values(headers, body))

    def chat_postMessage(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["channel"] in self.gone:
            return {"ok": False, "error": "channel_not_found"}
        ts = f"1700000000.{len(self.messages):06}"
        self.messages[ts] = dict(values)
        return {"ok": True, "channel": values["channel"], "ts": ts}

    def chat_update(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["channel"] in self.gone:
            return {"ok": False, "error": "is_archived"}
        self.edits.append((values["ts"], values["text"]))
        self.messages[values["ts"]] |= values
        return {"ok": True, "ts": values["ts"]}

    def files_getUploadURLExternal(self, values: dict[str, Any]) -> dict[str, Any]:
        id = f"F{len(self._waiting)}"
        self._waiting[id] = values["filename"]
        return {"ok": True, "file_id": id, "upload_url": f"{self.address}/upload/{id}"}

    def files_completeUploadExternal(self, values: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "files": json.loads(values["files"])}


def _values(headers: dict[str, str], body: bytes) -> dict[str, Any]:
    if "json" in headers.get("content-type", ""):
        return json.loads(body)
    return {name: one[0] for name, one in parse_qs(body.decode()).items()}


def served(double: SlackDouble) -> uvicorn.Server:
    """The double on a free port, in a thread of its own."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    double.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(double, log_level="error", lifespan="off"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return server


def signed(body: bytes, kind: str = "application/json", off_s: float = 0.0) -> dict[str, str]:
    """Headers as Slack signs them (v0)."""
    sent = str(int(time.time() + off_s))
    base = f"v0:{sent}:".encode() + body
    signature = hmac.new(SIGNING.encode(), base, hashlib.sha256).hexdigest()
    return {
        "content-type": kind,
        "x-slack-request-timestamp": sent,
        "x-slack-signature": f"v0={signature}",
    }


def mention(text: str, ts: str = "1355517523.000005", **more: Any) -> bytes:
    """An `app_mention` as Slack's documentation shows it."""
    event = {"type": "app_mention", "user": "U061F7AUR", "text": f"<@U0LAN0Z89> {text}", "ts": ts,
             "channel": "C0LAN2Q65", "event_ts": ts, **more}  # fmt: skip
    return json.dumps({"token": "ZZZZZZWSxiZZZ2yIvs3peJ", "team_id": "T061EG9R6",
                       "api_app_id": "A0MDYCDME", "event": event, "type": "event_callback",
                       "event_id": f"Ev{ts}", "event_time": 1355517523}).encode()  # fmt: skip


def command(text: str) -> bytes:
    return urlencode({
        "token": "gIkuvaNzQIHg97ATvDxqgjtO", "team_id": "T0001", "channel_id": "C0LAN2Q65",
        "user_id": "U2147483697", "command": "/hammerstone", "text": text,
        "response_url": "https://hooks.slack.com/commands/1234/5678",
        "trigger_id": "13345224609.738474920.8088930838d88f008e0", "api_app_id": "A123456",
    }).encode()  # fmt: skip


def press(value: str, user: str, message: dict[str, Any], ts: str) -> bytes:
    payload = {
        "type": "block_actions", "user": {"id": user, "team_id": "T9TK3CUKW"},
        "api_app_id": "AA9TKCYFC", "trigger_id": "12466734323.1395872398",
        "channel": {"id": message["channel"], "name": "test"},
        "message": {"ts": ts, "thread_ts": message.get("thread_ts", ts)},
        "actions": [{"action_id": "hs0", "block_id": "x", "type": "button", "value": value,
                     "action_ts": f"{time.time():.6f}"}],
    }  # fmt: skip
    return urlencode({"payload": json.dumps(payload)}).encode()
