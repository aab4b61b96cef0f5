"""Names and attributes of model and tool spans are those of the GenAI conventions."""

import importlib
import warnings

from hammerstone.core.chat import Prompt, Reply, Sample, Usage
from hammerstone.tracing import genai


def test_every_name_is_one_of_the_conventions() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        known = importlib.import_module(
            "opentelemetry.semconv._incubating.attributes.gen_ai_attributes"
        )
        names = {value for value in vars(known).values() if isinstance(value, str)}
    ours = [v for v in vars(genai).values() if isinstance(v, str) and v.startswith("gen_ai.")]
    assert len(ours) >= 20
    assert set(ours) <= names


def test_a_call_to_a_model_says_what_was_asked_answered_and_paid() -> None:
    prompt = Prompt.of("be brief", "2+2?", samples=2, seed=7, stop=("\n",), purpose="code")
    usage = Usage(prompt_tokens=30, cached_tokens=10, output_tokens=4, usd=0.002, calls=2)
    reply = Reply((Sample("4"), Sample("four", "length")), usage, "qwen-1.5b-q4")
    with genai.chat_span("qwen", prompt, provider="google") as opened:
        genai.record_reply(opened, reply)
    assert opened.name == "chat qwen"
    assert opened.kind == "model"
    assert opened.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "qwen",
        "gen_ai.request.max_tokens": 512,
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.choice.count": 2,
        "gen_ai.request.seed": 7,
        "gen_ai.request.stop_sequences": ["\n"],
        "gen_ai.output.type": "text",
        "gen_ai.response.model": "qwen-1.5b-q4",
        "gen_ai.response.finish_reasons": ["stop", "length"],
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 10,
        "gen_ai.usage.output_tokens": 4,
        "hammerstone.usd": 0.002,
        "hammerstone.calls": 2,
        "hammerstone.purpose": "code",
    }


def test_a_tool_call_is_execute_tool() -> None:
    with genai.tool_span("iso_week", {"date": "2024-03-01"}, version=3) as opened:
        opened.output = 9
    assert opened.name == "execute_tool iso_week"
    assert opened.attributes["gen_ai.tool.name"] == "iso_week"
    assert opened.attributes["hammerstone.tool.version"] == 3
