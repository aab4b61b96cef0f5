"""What a newcomer waits for: a fresh clone, three requests in the terminal, three in the browser.

    python -m evals.newcomer [--set instant|quick|full] [--json]

Clones this repository's HEAD into a new folder, with an empty library, this environment and the
model files that are here (`evals.first_answer` measures setting these up), and asks with the
embedded model: the seconds until the first value and until the final one are on the screen, and
whether the value is right. The browser is driven by what a person sees: the field and the answer
by role and name.
"""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import case, lower, middle

ROOT = Path(__file__).resolve().parent.parent
# A tool of the library, a request with no tool, and one with a word problem. (request, value)
REQUESTS = (
    ("What is 17.5% of 240?", "42"),
    ("How many minutes are 3 hours and 20 minutes?", "200"),
    ("A train leaves at 9:40 and arrives at 12:05. How many minutes is the ride?", "145"),
)
MOST_S = 240.0
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
          "--disable-component-update", "--disable-sync"]  # fmt: skip
# How sure a value is stands beside it; "95% likely to fit" is said of a tool, before any value.
_SURENESS = re.compile(r"\b(?:sure|likely|unsure)\b(?! (?:to|the)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Waited:
    """One request: when a value was on the screen first, when the final one was, and which."""

    where: str
    request: str
    first_s: float
    final_s: float
    shown: str
    right: bool


def shows_value(text: str, value: str) -> bool:
    """Whether a value stands in a text by itself: 42 is not in 420, nor in 17.42."""
    return re.search(rf"(?<![\d.,]){re.escape(value)}(?:\.0)?(?![\d]|[.,]\d)", text) is not None


@dataclass(frozen=True, slots=True)
class Place:
    """A fresh clone with its library, and the environment that its commands run in."""

    clone: Path
    env: dict[str, str]

    def command(self, *words: str) -> list[str]:
        python = self.clone / ".venv" / "bin" / "python"
        return [str(python), "-m", "hammerstone", *words]


@contextmanager
def newcomer(models: Path) -> Iterator[Place]:
    """A new folder with the clone in it; the model's process ends with it."""
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        clone, data = Path(folder) / "clone", Path(folder) / "data"
        subprocess.run(["git", "clone", "-q", f"file://{ROOT}", str(clone)], check=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("HAMMERSTONE_")}
        env = kept | {
            "HAMMERSTONE_DATA_DIR": str(data),
            "PYTHONPATH": f"{clone}/src",
            "NO_COLOR": "1",
        }
        data.mkdir(mode=0o700)
        (data / "models").symlink_to(models.resolve())
        (clone / ".venv").symlink_to(Path(sys.prefix).resolve())
        place = Place(clone, env)
        try:
            yield place
        finally:
            subprocess.run(place.command("model", "stop"), cwd=clone, env=env, capture_output=True)


def in_terminal(place: Place, request: str, value: str) -> Waited:
    """Ask as `make run q=...` does, and watch what comes onto the screen."""
    began = time.perf_counter()
    process = subprocess.Popen(
        place.command("ask", request),
        cwd=place.clone,
        env=place.env | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    first, printed = 0.0, ""
    for line in process.stdout:
        printed += line
        if not first and _SURENESS.search(line):
            first = time.perf_counter() - began
    process.wait()
    final = time.perf_counter() - began
    return Waited(
        "terminal", request, round(first or final, 1), round(final, 1), printed.strip(),
        process.returncode == 0 and shows_value(_last_lines(printed), value),
    )  # fmt: skip


def _last_lines(printed: str) -> str:
    """The answer itself: what comes after the steps, which begin with their seconds."""
    steps = re.compile(r"^\W*\d+(?:\.\d+)? ?s\b")
    return "\n".join(line for line in printed.splitlines() if not steps.match(line))


@contextmanager
def served(place: Place) -> Iterator[str]:
    """The web app of the clone at a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = place.command("serve", "--port", str(port))
    process = subprocess.Popen(command, cwd=place.clone, env=place.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    address = f"http://127.0.0.1:{port}/"
    try:
        _wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(address: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nothing is served at {address}")


async def in_browser(address: str) -> list[Waited]:
    """Ask in a page as a person does: type into the field, press Enter, look."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_FLAGS
        )
        page = await browser.new_page(viewport={"width": 1280, "height": 850})
        waited: list[Waited] = []
        for request, value in REQUESTS:
            await page.goto("about:blank")
            await page.goto(address)  # a new conversation
            waited.append(await _asked(page, request, value))
        await browser.close()
        return waited


async def _asked(page: Any, request: str, value: str) -> Waited:
    field = page.get_by_role("textbox", name=re.compile("request|message|ask", re.IGNORECASE))
    await field.first.wait_for(timeout=60_000)
    began = time.perf_counter()
    await field.first.fill(request)
    await field.first.press("Enter")
    seen = _Screen(request, value)
    while time.perf_counter() - began < MOST_S:
        text = await page.locator("main").inner_text()
        busy = await page.get_by_role("button", name=re.compile("^stop", re.IGNORECASE)).count()
        if seen.look(text, busy > 0, time.perf_counter() - began):
            break
        await asyncio.sleep(0.1)
    return seen.waited(time.perf_counter() - began)


class _Screen:
    """What the page showed, and since when: a sureness word is there with the first value, and
    nothing is under way any more with the final one."""

    def __init__(self, request: str, value: str) -> None:
        self._request, self._value = request, value
        self._first = 0.0
        self._was_busy = False
        self._text = ""

    def look(self, text: str, busy: bool, now_s: float) -> bool:
        """Take a look at the page; True once the answer is final."""
        asked, _, self._text = text.rpartition(self._request)  # what stands below the request
        self._was_busy = self._was_busy or busy
        has_value = bool(asked) and _SURENESS.search(self._text) is not None
        if has_value and not self._first:
            self._first = now_s
        failed = "try again" in self._text.lower() and not busy and self._was_busy
        return not busy and (has_value or failed) and (self._was_busy or now_s > 1)

    def waited(self, final_s: float) -> Waited:
        right = shows_value(self._text, self._value)
        first = self._first or final_s
        shown = self._text.strip()
        return Waited("browser", self._request, round(first, 1), round(final_s, 1), shown, right)


def measure(models: str) -> list[Waited]:
    """Three requests in a terminal, and the same in the browser of another newcomer."""
    with newcomer(Path(models)) as place:
        waited = [in_terminal(place, request, value) for request, value in REQUESTS]
    with newcomer(Path(models)) as place, served(place) as address:
        return waited + asyncio.run(in_browser(address))


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every request as a case: what was shown, and when."""
    for finding in waiting(await own_process(_measured, models=str(context.settings.models_dir))):
        yield finding


def _measured(models: str) -> list[dict[str, Any]]:
    return [asdict(one) for one in measure(models)]


def waiting(waited: list[dict[str, Any]]) -> list[Finding]:
    """Cases and numbers of what the requests waited for."""
    outcomes = [_outcome(Waited(**one)) for one in waited]
    numbers: list[Finding] = [passed_share("right on the screen", outcomes)]
    for where in ("terminal", "browser"):
        for key, name in (("first_s", "first value"), ("final_s", "final value")):
            seconds = [one.numbers[key] for one in outcomes if where in one.tags]
            numbers.append(lower(f"{name} in the {where}, median", middle(seconds), "s"))
    return [*outcomes, *numbers]


def _outcome(waited: Waited) -> CaseOutcome:
    return case(
        f"{waited.where}: {waited.request}", waited.right,
        {"first_s": waited.first_s, "final_s": waited.final_s},
        asked=waited.request, given=waited.shown, seconds=waited.final_s, tags=(waited.where,),
    )  # fmt: skip


if __name__ == "__main__":
    measured("newcomer")
