"""Programs that differ only in names, hints and comments have one form."""

from hammerstone.synthesis.examine.belief.behaviours import form_of


def test_names_hints_docstrings_and_main_blocks_do_not_count() -> None:
    one = form_of('def f(a: int) -> int:\n    """Doc."""\n    return a + 1\n')
    two = form_of("def f(b):\n    # comment\n    return b + 1\n\nprint(f(1))\n")
    assert one == two


def test_other_code_has_another_form() -> None:
    assert form_of("def f(a):\n    return a + 1") != form_of("def f(a):\n    return a + 2")
    assert form_of("def f(:").size > 1000
