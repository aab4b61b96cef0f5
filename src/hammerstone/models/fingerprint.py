"""One name for everything in a prompt that can change the answer."""

import hashlib
import json
from dataclasses import asdict

from hammerstone.core.chat import Prompt


def fingerprint(prompt: Prompt, *, model: str = "") -> str:
    """Equal for prompts that ask the same; purpose and part are for traces and do not count."""
    asked = asdict(prompt)
    del asked["purpose"], asked["part"]
    text = json.dumps([model, asked], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
