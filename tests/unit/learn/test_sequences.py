"""Which sequences a run holds."""

from hammerstone.learn.mining.sequences import foreign_runs, occurrences, read_place
from hammerstone.storage.stores.library.patterns import LoggedCall


def call(number: int, tool: str, *after: int, run: str = "r", ok: bool = True, of: str = ""):
    sources = {f"a{n}": {"step": n, "path": []} | ({"run": of} if of else {}) for n in after}
    return LoggedCall(run, number, tool, ok, 0.5, sources or {"x": "request"})


def found(*calls: LoggedCall, before: tuple[LoggedCall, ...] = ()):
    made = occurrences(list(calls), before, longest=5, longest_whole=10)
    return {one.tools: one for one in made}


def test_a_run_gives_the_whole_its_pairs_and_parts():
    seen = found(call(0, "a"), call(1, "b", 0), call(2, "c", 1))
    assert set(seen) == {("a",), ("b",), ("c",), ("a", "b"), ("b", "c"), ("a", "b", "c")}
    assert seen["a", "b", "c"].whole
    assert seen["a", "b", "c"].flowing
    assert not seen["a", "b"].whole
    assert read_place(seen["b", "c"].place) == [("r", 1), ("r", 2)]


def test_what_hangs_together_is_found_around_what_does_not():
    seen = found(call(0, "a"), call(1, "x"), call(2, "b", 0))
    assert seen["a", "b"].flowing
    assert not seen["a", "x"].flowing


def test_a_chain_over_several_requests_of_a_session_is_one():
    earlier = (call(0, "a", run="first"), call(1, "noise", run="first"))
    seen = found(call(0, "b", 0, of="first"), before=earlier)
    assert seen["a", "b"].flowing
    assert ("noise", "b") not in seen
    assert ("a",) not in seen  # counted with its own run
    assert foreign_runs([call(0, "b", 0, of="first")]) == ["first"]


def test_a_failed_step_fails_every_sequence_it_is_in():
    seen = found(call(0, "a"), call(1, "b", 0, ok=False), call(2, "c", 1))
    assert not seen["a", "b"].ok
    assert not seen["a", "b", "c"].ok
    assert seen["a",].ok


def test_a_loop_in_one_run_counts_once_and_costs_little():
    seen = found(*(call(n, "ab"[n % 2]) for n in range(400)))
    assert len(seen) <= 10
    assert all(len(tools) <= 5 for tools in seen)
