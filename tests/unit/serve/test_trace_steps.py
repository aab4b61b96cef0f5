"""A trace on the screen."""

import pytest

from hammerstone.serve.cli.data.trace_steps import asked_words, show_steps, total_words

STEP = {
    "title": "running f",
    "seconds": 0.5,
    "about": "1 → 2",
    "error": None,
    "cost": None,
    "count": 1,
    "steps": [],
    "left_out": 0,
}
CALLS = {
    **STEP,
    "title": "solutions",
    "count": 2,
    "cost": {"tokens": 1200, "usd": 0.0},
    "steps": [{**STEP, "title": "solution 1 of 2"}, {**STEP, "title": "solution 2 of 2"}],
}


def test_equal_steps_are_one_line_unless_all_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_steps([{**STEP, "title": "the request", "steps": [CALLS]}], every=False)
    assert capsys.readouterr().out.splitlines() == [
        "the request  500 ms",
        "  1 → 2",
        "  solutions, 2 calls  500 ms · 1,200 tokens",
    ]
    show_steps([CALLS], every=True)
    assert "  solution 2 of 2  500 ms" in capsys.readouterr().out.splitlines()


def test_a_proof_is_told_from_a_request_and_what_all_cost() -> None:
    assert asked_words({"name": "prove"}, "tip") == "Proof of tip"
    assert asked_words({"name": "ask"}, "How much?") == "How much?"
    cost = {"model_calls": 8, "tokens_in": 3496, "tokens_cached": 3057, "tokens_out": 756}
    shown = {"status": "success", "seconds": 80.8, "cost": {**cost, "usd": 0.0}}
    assert total_words(shown) == (
        "went well · 1 min 21 s · 8 model calls · "
        "3,496 tokens read (3,057 of them known already), 756 written · $0.00"
    )
