"""Examples in a spec's text are read as truth, and nothing that is not plainly one is."""

import pytest

from hammerstone.synthesis.examine.suites.examples import read_examples


def found(spec: str, *parameters: str) -> dict[str, object]:
    return {str(c.call.source): c.expected for c in read_examples(spec, "f", parameters)}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ('"""\n>>> f(1)\n2\n>>> f([1])\n[2]\n"""', {"f(1)": 2, "f([1])": [2]}),
        (">>> f('a') == 'b'", {"f('a')": "b"}),
        (">>> f(\n... 1)\n2", {"f(1)": 2}),
        ("assert f(1) == 2", {"f(1)": 2}),
        ("f(1) => 2\nf(2) ==> 3\nf(3) -> 4\nf(4) ➞ 5", {f"f({n})": n + 1 for n in range(1, 5)}),
        ("f('Hi') returns 'Hi'", {"f('Hi')": "Hi"}),
        ("For example f('abc') should return 3.", {"f('abc')": 3}),
        ("f(8) => true\nf(3) = false", {"f(8)": True, "f(3)": False}),
        ("f(15)   # returns 'db'", {"f(15)": "db"}),
        ("f([\n  [1],\n  [2]\n], 1) == [(0, 0)]", {"f([[1], [2]], 1)": [{"$tuple": [0, 0]}]}),
        ("f('5 apples', 19) ->19 - 5 - 6 = 8", {"f('5 apples', 19)": 8}),
    ],
)
def test_ways_of_writing_an_example(spec: str, expected: dict[str, object]) -> None:
    assert found(spec) == expected


def test_inputs_and_outputs_by_parameter() -> None:
    spec = "Input: n = 5\nOutput: 1\n\nFor n = 7 the output should be 9"
    assert found(spec, "n") == {"f(n=5)": 1, "f(n=7)": 9}


@pytest.mark.parametrize(
    "spec",
    [
        "def f(x):",
        "f(a) => False",  # the argument is no literal
        "other(1) == 2",
        'f(["aa"]) == ""aa"',  # a typing error in the spec
        "use f(1) to make the call",
        "f(1) is described below",
        "",
    ],
)
def test_what_is_no_example_is_left_out(spec: str) -> None:
    assert found(spec) == {}


def test_an_example_may_compare_a_view_of_the_result() -> None:
    spec = '"""\nassert set(f((3, 4), (4, 5))) == set((4,))\nassert len(f(1)) == 2\n"""'
    assert [(c.call.source, c.check) for c in read_examples(spec, "f")] == [
        ("f((3, 4), (4, 5))", "set(result) == set((4,))"),
        ("f(1)", "len(result) == 2"),
    ]


def test_a_property_with_names_from_elsewhere_is_no_example() -> None:
    assert read_examples("assert is_valid(f(1)) == True\nassert f(1) == helper(2)", "f") == []
