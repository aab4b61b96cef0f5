"""What a run was asked with, stored and read again."""

import json
from pathlib import Path
from typing import Any, cast

from hammerstone.guard.budget import Budget
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.request import Request
from hammerstone.run.services import Records

RECORDS = Records(cast(Any, None), cast(Any, None), cast(Any, None), lambda value: value)


def test_a_request_is_the_same_when_it_is_asked_again(tmp_path: Path):
    file = tmp_path / "numbers.csv"
    file.write_text("1,2")
    asked = Request(
        "add them",
        "s",
        "ada",
        (file,),
        "r",
        level=2,
        memory=False,
        keep=False,
        given_tool="add",
        given_arguments={"a": 1.5},
        model="m",
        tools=("add", "new"),
    )
    stored = json.dumps(RunTask.of(asked, Budget(tokens=5), RECORDS).to_json())

    task = RunTask.from_json(json.loads(stored))
    again = task.request("r", "s", [file])

    assert (again.again, asked.again) == (True, False)
    budget = task.budget()
    assert budget is not None and budget.allowed.tokens == 5
    for name in Request.__slots__:
        if name != "again":
            assert getattr(again, name) == getattr(asked, name), name
    assert task.files[0].name == "numbers.csv" and len(task.files[0].sha256) == 64


def test_a_request_that_is_private_keeps_no_words():
    def scrub(value: Any) -> Any:
        return "hidden"

    records = Records(cast(Any, None), cast(Any, None), cast(Any, None), scrub)
    task = RunTask.of(Request("the secret", "s", "ada"), None, records)
    assert task.private and "secret" not in json.dumps(task.to_json())
