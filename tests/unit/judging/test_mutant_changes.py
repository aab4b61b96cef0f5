"""Which small mistakes are made: for each kind of place the same ones, always."""

import pytest

from hammerstone.judging.mutants import MAX_MUTANTS, mutants


@pytest.mark.parametrize(
    ("code", "results"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a <= b", ["x = a < b"]),
        ("x = a > b", ["x = a >= b"]),
        ("x = a >= b", ["x = a > b"]),
        ("x = a == b", ["x = a != b"]),
        ("x = a != b", ["x = a == b"]),
        ("x = a in b", ["x = a not in b"]),
        ("x = a is not b", ["x = a is b"]),
        ("x = a + b", ["x = a - b"]),
        ("x = a * b", ["x = a // b"]),
        ("x = a / b", ["x = a * b"]),
        ("x = a % b", ["x = a // b"]),
        ("x = a ** b", ["x = a * b"]),
        ("x = a & b", ["x = a | b"]),
        ("x = a << b", ["x = a >> b"]),
        ("x += a", ["x -= a"]),
        ("x = a and b", ["x = a or b"]),
        ("x = a or b", ["x = a and b"]),
        ("x = -a", ["x = +a"]),
        ("x = not a", []),
        ("x = max(a)", ["x = min(a)"]),
        ("x = min(a)", ["x = max(a)"]),
        ("x = any(a)", ["x = all(a)"]),
        ("x = a.upper()", ["x = a.lower()"]),
        ("x = a.endswith(b)", ["x = a.startswith(b)"]),
        ("x = sorted(a)", ["x = list(a)"]),
        ("x = list(a)", []),
        ("x = a[b:]", ["x = a[b + 1:]"]),
        ("x = a[:b]", []),
        ("x = 5", ["x = 6", "x = 4"]),
        ("x = 0.5", ["x = 1.5", "x = -0.5"]),
        ("x = True", ["x = False"]),
        ("x = 'abc'", ["x = 'abcabc'"]),
        ("x = 'abcd'", []),
        ("x = ''", []),
        ("x = None", []),
        ("x = a if b else c", ["x = a if not b else c"]),
        ("if a:\n    x = b", ["if not a:\n    x = b"]),
        ("while not a:\n    x = b", ["while a:\n    x = b"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("def f():\n    return", []),
    ],
)
def test_the_mistakes_at_one_place(code: str, results: list[str]) -> None:
    assert [one.code for one in mutants(code)] == results


def test_each_change_names_its_line() -> None:
    made = mutants("x = 1\ny = a < b\n")
    assert [one.change for one in made] == [
        "line 1: 1 became 2",
        "line 1: 1 became 0",
        "line 2: < became <=",
    ]


def test_all_are_made_up_to_the_limit_and_a_sample_beyond() -> None:
    code = "\n".join(f"x{n} = a < b" for n in range(MAX_MUTANTS))
    assert [one.change.split(":")[0] for one in mutants(code)] == [
        f"line {n}" for n in range(1, MAX_MUTANTS + 1)
    ]
    more = code + "\ny = a < b"
    sample = mutants(more)
    assert len(sample) == MAX_MUTANTS
    assert sample == mutants(more, seed=0) != mutants(more, seed=1)
