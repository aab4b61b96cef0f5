"""Made-up inputs are new, of the same types, and the same every time."""

from hammerstone.judging.inputs import LiteralArguments, constants_in, read_call, stretch, vary


def test_only_literal_calls_are_taken_apart() -> None:
    assert read_call("f(1, [2], k='a')", "f") == LiteralArguments((1, [2]), (("k", "a"),))
    for source in ("f(x)", "g(1)", "f(*[1])", "f(**{})", "f(open('x'))", "f(", "1"):
        assert read_call(source, "f") is None


def test_a_call_can_be_read_again() -> None:
    known = LiteralArguments((float("inf"), {"b", "a"}, frozenset({1})), (("k", (1,)),))
    call = known.call("f")
    assert call.source == """f(float("inf"), {'a', 'b'}, frozenset({1}), k=(1,))"""
    assert read_call(call.source, "f") == known


def test_variations_are_new_typed_and_repeatable() -> None:
    known = [LiteralArguments(([1, 2, 3], "ab")), LiteralArguments(([5], "c"))]
    made = vary(known, 40)
    assert made == vary(known, 40)
    assert len({repr(one) for one in made}) == len(made) == 40
    for one in made:
        first, second = one.values
        assert isinstance(first, list)
        assert all(isinstance(item, int) and item >= 0 for item in first)
        assert isinstance(second, str)
    assert any(one.values[0] == [] for one in made)
    assert any(len(set(one.values[0])) < len(one.values[0]) for one in made)


def test_negative_numbers_only_where_inputs_have_some() -> None:
    assert any(
        one.values[0] < 0 for one in vary([LiteralArguments((-3,)), LiteralArguments((4,))], 20)
    )
    assert all(
        one.values[0] >= 0 for one in vary([LiteralArguments((3,)), LiteralArguments((4,))], 20)
    )


def test_limits_that_programs_know_are_tried() -> None:
    constants = constants_in(["def f(n):\n    return n > 99", "not python ("])
    assert constants == [99]
    tried = {
        one.values[0]
        for one in vary([LiteralArguments((1,)), LiteralArguments((2,))], 60, constants=constants)
    }
    assert {98, 99, 100} <= tried


def test_stretched_inputs_are_larger() -> None:
    made = stretch([LiteralArguments(([1, 2],))], 3)
    assert made
    assert all(len(one.values[0]) > 2 for one in made)
    assert stretch([LiteralArguments((None,))], 3) == []


def test_an_argument_with_choices_keeps_to_them() -> None:
    known = [LiteralArguments((), (("n", 3), ("mode", "up")))]
    made = vary(known, 30, choices={"mode": ["up", "down"]})
    assert {dict(one.kwargs)["mode"] for one in made} == {"up", "down"}
    assert len({dict(one.kwargs)["n"] for one in made}) > 3


def test_numbers_without_end_are_varied_too() -> None:
    known = [
        LiteralArguments((float("inf"), [float("nan"), 1.0])),
        LiteralArguments((2.0, [float("-inf"), 3.0])),
    ]
    assert len(vary(known, 40)) > 5
