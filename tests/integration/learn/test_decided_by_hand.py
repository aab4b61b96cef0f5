"""What a person decides holds, and what speaks against it is measured and shown."""

from pathlib import Path

from evals.ledger_acts import build, database
from evals.ledger_week import engine
from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, Spec, Status

GROW = "def grow(n):\n    return n + 1\n"


async def test_a_tool_retired_by_hand_stays_so_when_a_matching_request_comes(tmp_path: Path):
    async with engine(tmp_path) as hs:
        await build(hs, tmp_path)
        assert (await hs.tools.get("digit_sum")).status is Status.VERIFIED
        await hs.tools.retire("digit_sum", who="ada", reason="we count otherwise")
        answer = await hs.proofs.wait(await hs.ask("Please, the digit sum of 4711!"))
        assert answer.result == 13
        assert answer.strategy == "solving"
        assert (await hs.tools.get("digit_sum")).status is Status.RETIRED
        assert not await hs.tools.taken(["digit_sum_2"])
        assert (await hs.tools.unretire("digit_sum", who="ada")).status is Status.VERIFIED


async def test_an_edit_that_changes_recorded_results_is_taken_and_says_so(tmp_path: Path):
    async with engine(tmp_path / "data") as hs:
        takes = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        spec = Spec("grow", "A number and one.", takes, {"type": "integer"})
        suite = tuple(Case(CaseKind.VALUE, Call(source=f"grow({n})"), n + 1) for n in (0, 1, 5))
        await hs.library.add(spec, GROW, suite)
        for n in (2, 500, 700):
            await hs.run_tool("grow", {"n": n})
        await hs.traces.list()  # what was run is recorded
        folder = tmp_path / "tools"
        await hs.library.export(folder, ["grow"])
        file = folder / "grow" / "tool.py"
        file.write_text(file.read_text().replace("n + 1", "n + 1 if n < 100 else n"))
        (entry,) = [one for one in (await hs.library.sync(folder)).entries if one.name == "grow"]
        against = "2 of 3 recorded results become different"
        assert entry.details[-1] == against
        rows = await database(hs).proposals.list(kind="edit", target="grow")
        assert rows[0].evidence["against"] == [against]
        assert sorted(pair[1:] for pair in rows[0].evidence["passes"]) == [
            [1.0, 0.0],
            [1.0, 0.0],
            [1.0, 1.0],
        ]  # type: ignore[index]
        await hs.learning.gate.undo(rows[0].id, who="ada")
        assert (await hs.tools.get("grow")).version.code == GROW
