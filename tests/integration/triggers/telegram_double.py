"""Telegram's Bot API as far as a bot sees it, on a real port."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

TOKEN = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"


@dataclass
class TelegramDouble:
    """Updates wait until they are confirmed, as at Telegram; `gone` are chats it was put out of."""

    updates: list[dict[str, Any]] = field(default_factory=list)
    messages: dict[int, dict[str, Any]] = field(default_factory=dict)
    documents: list[bytes] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    address: str = ""

    @property
    def texts(self) -> list[str]:
        return [one["text"] for one in self.messages.values()]

    def said(self, text: str, chat: int = 7, sender: int = 99, **more: Any) -> None:
        number = len(self.updates) + 10
        message = {
            "message_id": number, "date": 1441645532, "text": text,
            "chat": {"id": chat, "type": "private", "first_name": "Ada"},
            "from": {"id": sender, "is_bot": False, "first_name": "Ada"}, **more,
        }  # fmt: skip
        self.updates.append({"update_id": 1000 + number, "message": message})

    def pressed(self, value: str, message: int, chat: int = 7, sender: int = 99) -> None:
        number = len(self.updates) + 10
        about = {"message_id": message, "date": 1441645532, "chat": {"id": chat, "type": "private"}}
        person = {"id": sender, "is_bot": False, "first_name": "Ada"}
        query = {"id": str(number), "from": person, "message": about, "chat_instance": "1",
                 "data": value}  # fmt: skip
        self.updates.append({"update_id": 1000 + number, "callback_query": query})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        path = scope["path"]
        if path.startswith(f"/file/bot{TOKEN}/"):
            said: bytes = self.files[path.rpartition("/")[2]]
        else:
            assert path.startswith(f"/bot{TOKEN}/"), path
            answer = self._answer(path.rpartition("/")[2], _values(scope, body), body)
            said = json.dumps(answer).encode()
        status = 200 if not said.startswith(b'{"ok": false') else 403
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": said})

    def _answer(self, method: str, values: dict[str, Any], body: bytes) -> dict[str, Any]:
        if str(values.get("chat_id")) in self.gone:
            told = "Forbidden: bot was kicked from the group chat"
            return {"ok": False, "error_code": 403, "description": told}
        if method == "getUpdates":
            after = int(values.get("offset") or 0)
            self.updates = [one for one in self.updates if one["update_id"] >= after]
            return {"ok": True, "result": self.updates}
        if method == "getFile":
            id = values["file_id"]
            found = {"file_id": id, "file_unique_id": id, "file_path": f"documents/{id}"}
            return {"ok": True, "result": found}
        if method == "sendDocument":
            self.documents.append(body)
        number = int(values.get("message_id") or 500 + len(self.messages))
        if method in ("sendMessage", "editMessageText"):
            self.messages[number] = {**self.messages.get(number, {}), **values}
        chat = {"id": 7, "type": "private"}
        return {"ok": True, "result": {"message_id": number, "date": 1, "chat": chat}}


def _values(scope: Any, body: bytes) -> dict[str, Any]:
    kind = dict(scope["headers"]).get(b"content-type", b"").decode()
    if "json" in kind:
        return json.loads(body)
    if "form-urlencoded" in kind:
        return {name: one[0] for name, one in parse_qs(body.decode()).items()}
    return {"chat_id": "7"} if b"chat_id" in body else {}
