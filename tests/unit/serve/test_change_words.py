"""Terminal and web app call a change by the same words."""

import re
from pathlib import Path

import hammerstone
from hammerstone.serve.cli.learning.changes.change_words import KINDS, STATES

_WEB = Path(hammerstone.__file__).parent / "serve" / "web"


def _table(name: str, script: str) -> dict[str, str]:
    found = re.search(rf"const {name} = {{(.*?)}};", (_WEB / script).read_text(), re.DOTALL)
    assert found is not None
    pairs = re.findall(r'(?:"([^"]+)"|(\w+)): "([^"]*)"', found[1])
    return {quoted or plain: words for quoted, plain, words in pairs}


def test_the_kinds_of_changes() -> None:
    assert _table("KINDS", "pages/learning.js") == KINDS


def test_the_states_of_changes() -> None:
    states = _table("STATES", "parts/pieces.js")
    assert {state: words for state, words in states.items() if state in STATES} == STATES
