"""Nothing secret reaches a log."""

import io
import json

import structlog

from hammerstone.guard.logs import scrub_logs
from hammerstone.tracing.scrub import Scrubber


def test_every_field_of_a_log_line_is_scrubbed() -> None:
    out = io.StringIO()
    log = structlog.wrap_logger(
        structlog.PrintLogger(out),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            scrub_logs(Scrubber()),
            structlog.processors.JSONRenderer(),
        ],
    )
    try:
        raise ValueError("cannot reach postgres://app:hunter2@db")
    except ValueError:
        log.exception(
            "mail to ada@example.com failed",
            password="x",
            headers={"Authorization": "Bearer abc"},
            tries=3,
            thing=object,
        )
    line = json.loads(out.getvalue())
    assert line["event"] == "mail to [email] failed"
    assert line["level"] == "error"
    assert line["password"] == "[password]"
    assert line["headers"] == {"Authorization": "[password]"}
    assert line["tries"] == 3
    assert "hunter2" not in out.getvalue()
    assert "postgres://app:[password]@db" in line["exception"]
