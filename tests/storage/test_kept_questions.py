"""Questions kept with tools, on both databases."""

from dataclasses import replace

from hammerstone.core.tools import Assessment, Status
from hammerstone.library.tools.registry import ActivationReason
from hammerstone.storage import Database
from tests.storage.registrar import new_version, registry_on
from tests.storage.samples import execution

WHY = ActivationReason("registered", "test", "because")
QUESTION = {"call": "total(1e16)", "results": ["1e+16", "'\x00'"], "values": '[1e+16, "\\u0000"]'}


async def test_the_last_word_about_a_question_counts(db: Database) -> None:
    registry = registry_on(db)
    new = new_version("total", "def total(value): ...", status=Status.EXPERIMENTAL)
    tool = await registry.register(replace(new, evidence={"question": QUESTION}), WHY)
    (row,) = await db.questions.list()
    assert (row.tool, row.version_id, row.number, row.uses) == ("total", tool.version.id, 1, 0)
    assert row.question == QUESTION

    async def known(status: Status, **evidence: object) -> int:
        now = Assessment(tool.version.id, status, 0.5, evidence)  # type: ignore[arg-type]
        await registry.assess("total", now)
        return len(await db.questions.list())

    assert await known(Status.EXPERIMENTAL, reason="used") == 1
    assert await known(Status.VERIFIED, reason="proved") == 0
    assert await known(Status.EXPERIMENTAL, reason="doubted") == 1
    assert await known(Status.RETIRED, reason="failed") == 0
    assert await known(Status.EXPERIMENTAL, question=None) == 0
    assert await known(Status.EXPERIMENTAL, question=QUESTION) == 1
    await registry.register(new_version("total", "def total(value): return 1"), WHY)
    assert await db.questions.list() == []  # another version is in use


async def test_who_used_which_tools(db: Database) -> None:
    await db.sessions.create("ada", "s")
    await db.executions.add(execution("e", "total", session_id="s"))
    await db.executions.add(execution("f", "mean", session_id="gone"))
    assert await db.questions.used_by("ada", ["total", "mean", "other"]) == {"total"}
    assert await db.questions.used_by("bob", ["total"]) == set()
    assert await db.questions.used_by("ada", []) == set()
