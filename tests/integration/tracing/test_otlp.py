"""Traces sent over OTLP to a real receiver arrive as the conventions say."""

import asyncio
import gzip
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status as WireStatus

from hammerstone.core.chat import Prompt, Reply, Sample, Usage
from hammerstone.core.settings import load_settings
from hammerstone.tracing import Tracer, genai, span
from hammerstone.tracing.otel import otlp_exporter
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.traces import configured_exporters


class Receiver(ThreadingHTTPServer):
    """The receiving half of an OTLP/HTTP collector."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.requests: list[tuple[str, str, ExportTraceServiceRequest]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spans(self) -> dict[str, WireSpan]:
        return {
            wire.name: wire
            for _, _, request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for wire in scope.spans
        }


class _Answer(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        request = ExportTraceServiceRequest.FromString(body)
        content_type = self.headers["Content-Type"]
        self.server.requests.append((self.path, content_type, request))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def values(wire: WireSpan) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in wire.attributes:
        kind = pair.value.WhichOneof("value")
        raw = getattr(pair.value, str(kind))
        found[pair.key] = [v.string_value for v in raw.values] if kind == "array_value" else raw
    return found


async def test_a_trace_arrives_with_its_tree_and_genai_attributes(receiver: Receiver) -> None:
    tracer = Tracer([otlp_exporter(receiver.address, version="1.2.3")], lambda value: value)
    prompt = Prompt.of("be brief", "2+2?")
    usage = Usage(prompt_tokens=12, output_tokens=1, usd=0.001, calls=1)
    async with tracer.trace(
        "invoke_agent hammerstone", user="ada", session_id="s1", run_id="r1", input="2+2?"
    ) as root:
        with genai.chat_span("qwen", prompt, provider="openai") as chat:
            genai.record_reply(chat, Reply((Sample("4"),), usage, "qwen"))
        with span("execute_tool add", kind="tool", input={"a": 2, "b": 2}) as tool:
            tool.output = {"value": 4}
        with span("verify", kind="step", attributes={"mixed": [1, "a"], "none": None}) as step:
            step.fail("30 s passed", timeout=True)
            async with tracer.trace("learn"):
                pass
        root.output = "4"
    with pytest.raises(ZeroDivisionError):
        async with tracer.trace("broken"):
            _ = 1 / 0
    await tracer.close()

    assert {path for path, _, _ in receiver.requests} == {"/v1/traces"}
    assert {kind for _, kind, _ in receiver.requests} == {"application/x-protobuf"}
    resource = receiver.requests[0][2].resource_spans[0].resource
    service = {p.key: p.value.string_value for p in resource.attributes}
    assert (service["service.name"], service["service.version"]) == ("hammerstone", "1.2.3")

    spans = receiver.spans()
    assert set(spans) == {
        "invoke_agent hammerstone",
        "chat qwen",
        "execute_tool add",
        "verify",
        "learn",
        "broken",
    }
    wire_root, wire_chat = spans["invoke_agent hammerstone"], spans["chat qwen"]
    assert wire_root.trace_id.hex() == root.trace_id
    assert wire_root.span_id.hex() == root.span_id
    assert wire_root.parent_span_id == b""
    for child in ("chat qwen", "execute_tool add", "verify"):
        assert spans[child].parent_span_id == wire_root.span_id
        assert spans[child].trace_id == wire_root.trace_id
        assert wire_root.start_time_unix_nano <= spans[child].start_time_unix_nano
        assert spans[child].end_time_unix_nano <= wire_root.end_time_unix_nano + 2000
    about = values(wire_root)
    assert (about["user.id"], about["gen_ai.conversation.id"]) == ("ada", "s1")
    assert about["hammerstone.output"] == "4"

    assert wire_chat.kind == WireSpan.SPAN_KIND_CLIENT
    said = values(wire_chat)
    assert said["gen_ai.usage.input_tokens"] == 12
    assert said["gen_ai.response.finish_reasons"] == ["stop"]
    assert json.loads(said["gen_ai.input.messages"])[1] == {
        "role": "user",
        "parts": [{"type": "text", "content": "2+2?"}],
    }
    assert json.loads(said["gen_ai.output.messages"]) == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "4"}],
            "finish_reason": "stop",
        }
    ]
    done = values(spans["execute_tool add"])
    assert json.loads(done["gen_ai.tool.call.arguments"]) == {"a": 2, "b": 2}
    assert json.loads(done["gen_ai.tool.call.result"]) == {"value": 4}

    verify = spans["verify"]
    assert verify.status.code == WireStatus.STATUS_CODE_ERROR
    assert values(verify)["error.type"] == "timeout"
    assert values(verify)["mixed"] == '[1, "a"]'
    (link,) = spans["learn"].links
    assert (link.trace_id, link.span_id) == (verify.trace_id, verify.span_id)
    assert spans["learn"].trace_id != verify.trace_id
    assert spans["broken"].status.message == "ZeroDivisionError: division by zero"
    assert values(spans["broken"])["error.type"] == "ZeroDivisionError"


async def test_the_endpoint_comes_from_the_settings(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address)
    tracer = Tracer(configured_exporters(load_settings().otlp_endpoint, version="9"), Scrubber())
    async with tracer.trace("ask", input={"to": "ada@example.com", "password": "x"}):
        pass
    await tracer.close()
    sent = values(receiver.spans()["ask"])["hammerstone.input"]
    assert json.loads(sent) == {"to": "[email]", "password": "[password]"}


def test_without_an_endpoint_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert configured_exporters(load_settings().otlp_endpoint) == []


async def test_an_endpoint_that_is_down_delays_neither_the_request_nor_the_end_for_long() -> None:
    tracer = Tracer([otlp_exporter("http://127.0.0.1:9")], lambda value: value)
    began = time.perf_counter()
    async with tracer.trace("ask"):
        await asyncio.sleep(0)
    asked_s = time.perf_counter() - began
    await tracer.close()
    assert asked_s < time.perf_counter() - began < 60.0, (
        "it is tried in the background, not for ever"
    )
