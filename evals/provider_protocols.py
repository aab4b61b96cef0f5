"""How three providers put questions and answers on the wire."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import Protocol as Shape


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as every provider means it."""

    provider: str
    model: str
    system: str
    text: str  # the last message of the user
    turns: int
    schema: Any
    max_tokens: int
    temperature: float | None
    seed: int | None
    stop: tuple[str, ...]
    stream: bool
    key: str

    @property
    def prompt_tokens(self) -> int:
        return len((self.system + " " + self.text).split())


class Protocol(Shape):
    def read(self, path: str, body: Any, headers: Mapping[str, str]) -> Asked: ...
    def whole(self, asked: Asked, text: str, finish: str, cached: int) -> Any: ...
    def opening(self, asked: Asked, cached: int) -> list[str]: ...
    def piece(self, asked: Asked, text: str) -> str: ...
    def closing(self, asked: Asked, tokens: int, finish: str, cached: int) -> list[str]: ...


def protocol_for(path: str) -> "Protocol | None":
    if path.endswith("/chat/completions"):
        return OpenAI()
    if path.partition("?")[0].endswith("/v1/messages"):
        return Anthropic()
    if "enerateContent" in path:
        return Google()
    return None


def _event(data: Any, name: str = "") -> str:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


class OpenAI:
    def read(self, path: str, body: Any, headers: Mapping[str, str]) -> Asked:
        messages = body["messages"]
        form = body.get("response_format") or {}
        stop = body.get("stop") or ()
        return Asked(
            provider="openai",
            model=body["model"],
            system=" ".join(_text(m["content"]) for m in messages if m["role"] == "system"),
            text=next(_text(m["content"]) for m in reversed(messages) if m["role"] == "user"),
            turns=len(messages),
            schema=form.get("json_schema", {}).get("schema"),
            max_tokens=body.get("max_completion_tokens") or body.get("max_tokens") or 10**6,
            temperature=body.get("temperature"),
            seed=body.get("seed"),
            stop=tuple([stop] if isinstance(stop, str) else stop),
            stream=bool(body.get("stream")),
            key=headers.get("authorization", "").removeprefix("Bearer "),
        )

    def whole(self, asked: Asked, text: str, finish: str, cached: int) -> Any:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = self._usage(asked, len(text.split()), cached)
        return self._envelope(asked, "chat.completion") | {"choices": [choice], "usage": usage}

    def opening(self, asked: Asked, cached: int) -> list[str]:
        return [self._chunk(asked, {"role": "assistant", "content": ""}, None)]

    def piece(self, asked: Asked, text: str) -> str:
        return self._chunk(asked, {"content": text}, None)

    def closing(self, asked: Asked, tokens: int, finish: str, cached: int) -> list[str]:
        usage = {"choices": [], "usage": self._usage(asked, tokens, cached)}
        last = _event(self._envelope(asked, "chat.completion.chunk") | usage)
        return [self._chunk(asked, {}, finish), last, "data: [DONE]\n\n"]

    def _chunk(self, asked: Asked, delta: Any, finish: str | None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event(self._envelope(asked, "chat.completion.chunk") | {"choices": [choice]})

    def _envelope(self, asked: Asked, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": asked.model}

    def _usage(self, asked: Asked, tokens: int, cached: int) -> dict[str, Any]:
        return {
            "prompt_tokens": asked.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": asked.prompt_tokens + tokens,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


class Anthropic:
    FINISH = {"stop": "end_turn", "length": "max_tokens"}  # noqa: RUF012

    def read(self, path: str, body: Any, headers: Mapping[str, str]) -> Asked:
        form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        messages = body["messages"]
        return Asked(
            provider="anthropic",
            model=body["model"],
            system=_text(body.get("system", "")),
            text=next(_text(m["content"]) for m in reversed(messages) if m["role"] == "user"),
            turns=len(messages),
            schema=form.get("schema"),
            max_tokens=body["max_tokens"],
            temperature=body.get("temperature"),
            seed=None,
            stop=tuple(body.get("stop_sequences") or ()),
            stream=bool(body.get("stream")),
            key=headers.get("x-api-key")
            or headers.get("authorization", "").removeprefix("Bearer "),
        )

    def whole(self, asked: Asked, text: str, finish: str, cached: int) -> Any:
        return self._message(asked, len(text.split()), cached) | {
            "content": [{"type": "text", "text": text}],
            "stop_reason": self.FINISH[finish],
        }

    def opening(self, asked: Asked, cached: int) -> list[str]:
        block = {"type": "text", "text": ""}
        start = {"type": "message_start", "message": self._message(asked, 1, cached)}
        block_start = {"type": "content_block_start", "index": 0, "content_block": block}
        return [_event(start, "message_start"), _event(block_start, "content_block_start")]

    def piece(self, asked: Asked, text: str) -> str:
        delta = {"type": "text_delta", "text": text}
        data = {"type": "content_block_delta", "index": 0, "delta": delta}
        return _event(data, "content_block_delta")

    def closing(self, asked: Asked, tokens: int, finish: str, cached: int) -> list[str]:
        stop = {"type": "content_block_stop", "index": 0}
        delta = {
            "type": "message_delta",
            "delta": {"stop_reason": self.FINISH[finish], "stop_sequence": None},
            "usage": {"output_tokens": tokens},
        }
        return [
            _event(stop, "content_block_stop"),
            _event(delta, "message_delta"),
            _event({"type": "message_stop"}, "message_stop"),
        ]

    def _message(self, asked: Asked, tokens: int, cached: int) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {
                "input_tokens": asked.prompt_tokens - cached,
                "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0,
                "output_tokens": tokens,
            },
        }


class Google:
    FINISH = {"stop": "STOP", "length": "MAX_TOKENS"}  # noqa: RUF012

    def read(self, path: str, body: Any, headers: Mapping[str, str]) -> Asked:
        config = body.get("generationConfig") or {}
        messages = body["contents"]
        return Asked(
            provider="google",
            model=path.rpartition("/models/")[2].partition(":")[0],
            system=_text((body.get("systemInstruction") or {}).get("parts")),
            text=next(_text(m["parts"]) for m in reversed(messages) if m["role"] == "user"),
            turns=len(messages),
            schema=config.get("responseJsonSchema") or config.get("responseSchema"),
            max_tokens=config.get("maxOutputTokens") or 10**6,
            temperature=config.get("temperature"),
            seed=config.get("seed"),
            stop=tuple(config.get("stopSequences") or ()),
            stream="streamGenerateContent" in path,
            key=headers.get("x-goog-api-key", ""),
        )

    def whole(self, asked: Asked, text: str, finish: str, cached: int) -> Any:
        return self._response(asked, text, self.FINISH[finish], len(text.split()), cached)

    def opening(self, asked: Asked, cached: int) -> list[str]:
        return []

    def piece(self, asked: Asked, text: str) -> str:
        return _event(self._response(asked, text, None, 0, 0))

    def closing(self, asked: Asked, tokens: int, finish: str, cached: int) -> list[str]:
        return [_event(self._response(asked, "", self.FINISH[finish], tokens, cached))]

    def _response(
        self, asked: Asked, text: str, finish: str | None, tokens: int, cached: int
    ) -> dict[str, Any]:
        content = {"role": "model", "parts": [{"text": text}]}
        candidate = {"index": 0, "content": content} | ({"finishReason": finish} if finish else {})
        usage = {
            "promptTokenCount": asked.prompt_tokens,
            "cachedContentTokenCount": cached,
            "candidatesTokenCount": tokens,
            "totalTokenCount": asked.prompt_tokens + tokens,
        }
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": asked.model}
