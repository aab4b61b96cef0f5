"""Files of a session: which ones the words mean, and which are kept."""

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.chat import Role
from hammerstone.library.memory import MemoryPolicy
from hammerstone.library.memory.context import Context
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.understand.enrich import Enrichment
from hammerstone.run.understand.session_files import SessionFiles, _meant
from hammerstone.storage import ArtifactRow
from tests.unit.run.made_runs import NOW, make_run, records


def row(name: str, content: bytes = b"1") -> ArtifactRow:
    return ArtifactRow(
        f"id-{name}", "s1", "ada", "run0", 1, name, "text/csv", len(content),
        hashlib.sha256(content).hexdigest(), NOW, NOW + timedelta(days=7),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names", "meant"),
    [
        ("sum the file", ["b.csv", "a.csv"], ["b.csv"]),
        ("sum A.CSV", ["b.csv", "a.csv"], ["a.csv"]),
        ("join a.csv and b.csv", ["b.csv", "a.csv", "c.csv"], ["b.csv", "a.csv"]),
        ("sum the other file", ["b.csv", "a.csv"], ["a.csv"]),
        ("sum the previous file", ["b.csv"], ["b.csv"]),
        ("sum the file", [], []),
    ],
)
def test_the_files_that_words_mean(text: str, names: list[str], meant: list[str]) -> None:
    assert [one.name for one in _meant(text, [row(name) for name in names])] == meant


def test_of_two_files_with_one_name_the_newest_and_at_most_five() -> None:
    old = replace(row("a.csv"), id="old")
    assert _meant("sum a.csv", [row("a.csv"), old]) == [row("a.csv")]
    names = [f"f{n}.csv" for n in range(7)]
    assert len(_meant(" ".join(names), [row(name) for name in names])) == 5


class Kept:
    """The session's files, and a policy."""

    def __init__(self, *rows: ArtifactRow, policy: SessionPolicy | None = None) -> None:
        self._rows, self._policy = [*rows], policy or SessionPolicy()
        self.artifacts = self

    async def of_session(
        self, session: str, now: Any, *, limit: int, asked_by: datetime | None = None
    ) -> list[ArtifactRow]:
        assert (session, asked_by) == ("s1", None)
        return self._rows

    async def get(self, id: str) -> tuple[Any, bytes]:
        return None, f"content of {id}".encode()

    @property
    def files(self) -> SessionFiles:
        policies = SimpleNamespace(get=lambda kind: self._policy)
        return SessionFiles(records(cast(Any, self)), cast(Any, policies))


async def test_earlier_files_are_there_for_a_while() -> None:
    run = make_run("sum the file")
    async with Kept(row("a.csv")).files.with_session_files(run) as with_files:
        (path,) = with_files.files
        assert (path.name, path.read_text()) == ("a.csv", "content of id-a.csv")
    assert not path.exists()
    async with Kept().files.with_session_files(run) as same:
        assert same is run


async def test_given_files_are_kept_once_and_not_if_they_are_large(tmp_path: Path) -> None:
    for name, content in (("new.csv", b"12"), ("known.csv", b"1"), ("large.csv", b"123")):
        (tmp_path / name).write_bytes(content)
    run = make_run(files=tuple(sorted(tmp_path.iterdir())))
    policy = SessionPolicy(given_file_bytes=2, file_days=3.0)
    await Kept(row("known.csv"), row("new.csv"), policy=policy).files.keep_given(run)
    ((kept, content),) = run.ledger.files
    assert (kept.name, content, kept.step, kept.media_type, kept.size_bytes) == (
        "new.csv", b"12", 0, "text/csv", 2,
    )  # fmt: skip
    assert (kept.expires_at - kept.at).days == 3


class Remembered:
    """A memory that knows one context."""

    def __init__(self, context: Context, *, told: str = "", unkept: str = "") -> None:
        self._context, self._told, self._unkept = context, told, unkept
        self.asked: list[Any] = []
        self.work: list[Any] = []
        self.better: list[tuple[str, int, str, str]] = []
        self.model = ScriptedModel(["Better  words."])

    def told(self, asking: Any, source: str) -> str:
        self.asked.append((asking, source))
        return self._told

    def not_kept(self, asking: Any) -> str:
        return self._unkept

    async def surroundings(self, asking: Any) -> Context:
        return self._context

    def later(self, work: Any) -> None:
        self.work.append(work)

    async def resummarise(self, session: str, upto: int, text: str, author: str) -> bool:
        self.better.append((session, upto, text, author))
        return True

    def of(self, run: Any, role: Role, budget: Any) -> ScriptedModel:
        assert (role, budget.allowed.tokens, budget.allowed.model_calls) == (
            Role.RESPONDER, MemoryPolicy().summary_model_tokens, 1,
        )  # fmt: skip
        return self.model

    def enrichment(self, *, by_model: bool = False) -> Enrichment:
        me = cast(Any, self)
        policy = MemoryPolicy(summary_by_model=by_model)
        return Enrichment(me, me, cast(Any, SimpleNamespace(get=lambda kind: policy)))


async def test_memory_is_asked_about_the_request_itself() -> None:
    context = Context(facts="likes tea")
    memory = Remembered(context)
    run = make_run("remember that again", by_program=True)
    assert await memory.enrichment().enrich(run) is run.context is context
    ((asking, source),) = memory.asked
    assert (asking.text, asking.user, asking.session_id, asking.refers_back) == (
        "remember that again", "ada", "s1", True,
    )  # fmt: skip
    assert (asking.memory, asking.by_program, source) == (True, True, "run run1")
    assert (run.ledger.alone, run.ledger.remarks) == (True, [])


async def test_what_was_told_is_all_there_is() -> None:
    memory = Remembered(Context(facts="x"), told="Noted.", unkept="never said")
    run = make_run("Remember that I like tea.")
    assert await memory.enrichment().enrich(run) == Context(told="Noted.")
    assert run.ledger.remarks == []


async def test_words_that_ask_for_nothing_to_be_remembered_tell_memory_nothing() -> None:
    memory = Remembered(Context(facts="likes tea"), told="Noted.", unkept="never said")
    run = make_run("double 5")
    assert await memory.enrichment().enrich(run) is run.context
    assert (memory.asked, run.ledger.remarks, run.ledger.alone) == ([], [], True)


async def test_a_rule_that_is_not_kept_is_remarked() -> None:
    run = make_run("Always answer in metres.")
    await Remembered(Context(), unkept="Not kept.").enrichment().enrich(run)
    assert (run.ledger.remarks, run.ledger.alone) == (["Not kept."], False)


@pytest.mark.parametrize(
    ("folded", "by_model", "count"), [(3, True, 1), (3, False, 0), (None, True, 0)]
)
async def test_a_summary_in_better_words(folded: int | None, by_model: bool, count: int) -> None:
    memory = Remembered(Context(summary="a → b", folded=folded))
    await memory.enrichment(by_model=by_model).enrich(make_run())
    assert len(memory.work) == count
    for work in memory.work:
        await work
        assert memory.better == [("s1", 3, "Better words.", "scripted")]
        assert "a → b" in memory.model.prompts[0].messages[-1].text
