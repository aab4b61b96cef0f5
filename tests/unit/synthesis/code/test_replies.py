"""Code and tests out of what models write around them."""

import pytest

from hammerstone.synthesis.code.replies import code_in, read_tests


def test_code_is_found_in_prose_and_fences() -> None:
    code = "def f():\n    return 1"
    assert code_in(f"Sure!\n```python\n{code}\n```\nEnjoy") == code
    assert code_in(code) == code
    assert code_in(f"```python\n{code}") == code
    assert code_in("I cannot do that.") == ""
    assert code_in("```python\ndef f(:\n```") == ""


def test_tests_are_statements_by_themselves() -> None:
    reply = "```python\nassert f(1) == 2\nassert f(1) == 2\nx = 3\nassert f(x) == 3, 'm'\n```"
    assert read_tests(reply) == ["assert f(1) == 2", "assert f(3) == 3"]


def test_asserts_over_several_lines_and_in_functions_are_found() -> None:
    reply = "def test_f():\n    got = f([1,\n      2])\n    assert got == [\n 2]\n"
    assert read_tests(reply) == ["assert f([1, 2]) == [2]"]


def test_refusals_are_found() -> None:
    reply = "```python\nwith raises(ValueError): f(-1)\nassert f(0) == 0\n```"
    assert read_tests(reply) == ["with raises(ValueError):\n    f(-1)", "assert f(0) == 0"]


def test_a_reply_that_was_cut_off_keeps_its_beginning() -> None:
    assert read_tests("```python\nassert f(1) == 2\nassert f([1, ") == ["assert f(1) == 2"]
    broken = "assert f(\nassert f(2) == 3\nthis is prose"
    assert read_tests(broken) == ["assert f(2) == 3"]


@pytest.mark.parametrize("text", ["", "no tests here", "```python\nprint(1)\n```", "assert"])
def test_no_tests_are_no_tests(text: str) -> None:
    assert read_tests(text) == []


def test_a_model_that_cannot_stop_is_cut() -> None:
    assert len(read_tests("\n".join(f"assert f({n}) == {n}" for n in range(500)))) == 40
