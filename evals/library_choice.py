"""Two parts of the product beside libraries that could stand in for them.

    python -m evals.library_choice pages [--pages N] FOLDER...
    python -m evals.library_choice inputs [--mutants N]

`pages` reads pages with our reader, selectolax and trafilatura. What is right is what a browser
shows of the page with scripts off, and of its main part. `inputs` makes inputs for each starter
tool from the schema of its parameters, with our generator and hypothesis-jsonschema, and from its
tests with the one that proofs use. The libraries are no dependency of ours: they have to be there.
"""

import argparse
import asyncio
import importlib.metadata
import random
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from packaging.requirements import Requirement

from hammerstone.connectors.page_text import page_lines, page_text
from hammerstone.core.calls import Call, Program
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.judging.inputs import LiteralArguments, constants_in, read_call, vary
from hammerstone.judging.labels import Labels
from hammerstone.judging.mutants import mutants
from hammerstone.judging.named_inputs import promised_inputs
from hammerstone.judging.rendering import call_source
from hammerstone.library.tools.folder.files import ToolFiles
from hammerstone.library.tools.seeding import starter_tools
from hammerstone.sandbox import open_sandbox

_WORD = re.compile(r"\w+")
_MAIN = "main, article, [role=main], #main-content, #apicontent, #content"
_SILENT = ["script", "style", "noscript", "template", "head", "svg", "iframe"]
_HOSTILE = "<div><p>word <b>" * 20_000  # 320 kB of elements that nobody closes
_INPUTS = 40  # of each tool, as a proof makes them
_SEED = 7


def _selectolax(separator: str) -> Callable[[str], str]:
    from selectolax.lexbor import LexborHTMLParser

    def read(source: str) -> str:
        tree = LexborHTMLParser(source)
        tree.strip_tags(_SILENT)
        return tree.body.text(separator=separator) if tree.body else ""

    return read


def _trafilatura(source: str) -> str:
    import trafilatura

    return trafilatura.extract(source, favor_recall=True, include_tables=True) or ""


def installed_bytes(name: str, known: set[str]) -> int:
    """What installing a library adds, with what it needs and we do not have."""
    if name.lower() in known:
        return 0
    known.add(name.lower())
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return 0
    own = sum(file.locate().stat().st_size for file in found.files or () if file.locate().exists())
    needs = (Requirement(one) for one in found.requires or ())
    plain = [one.name for one in needs if one.marker is None or one.marker.evaluate({"extra": ""})]
    return own + sum(installed_bytes(one, known) for one in plain)


def _ours() -> set[str]:
    known: set[str] = set()
    installed_bytes("hammerstone", known)
    return known


def shown_and_read(shown: str, read: str) -> tuple[float, float]:
    """The share of the shown words that were read, and of the words read that are shown."""
    wanted, given = (Counter(_WORD.findall(text.lower())) for text in (shown, read))
    common = (wanted & given).total()
    return common / max(1, wanted.total()), common / max(1, given.total())


async def browser_texts(pages: Sequence[Path]) -> list[tuple[str, str]]:
    """What a browser shows of each page, and of its main part; empty where it marks none."""
    from playwright.async_api import async_playwright

    texts: list[tuple[str, str]] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"))
        context = await browser.new_context(java_script_enabled=False, offline=True)
        page = await context.new_page()
        for path in pages:
            await page.goto(path.as_uri())
            whole = await page.locator("body").inner_text()
            main = page.locator(_MAIN)
            texts.append((whole, await main.first.inner_text() if await main.count() else ""))
        await browser.close()
    return texts


def compare_readers(folders: Sequence[Path], count: int) -> None:
    rng = random.Random(_SEED)
    pages: list[Path] = []
    for folder in folders:  # the same share of each
        inside = sorted(p for p in folder.rglob("*.html") if 4_000 < p.stat().st_size < 400_000)
        pages += rng.sample(inside, min(len(inside), -(-count // len(folders))))
    sources = [path.read_text("utf-8", "replace") for path in pages]
    truth = asyncio.run(browser_texts(pages))
    mains = sum(bool(main) for _, main in truth)
    print(f"{len(pages)} pages, {sum(map(len, sources)) / 1e6:.1f} MB, {mains} with a main part")
    print("reader | shown words read | words read that are shown | the same of the main part"
          " | MB/s | hostile page | adds")  # fmt: skip
    readers = {
        "ours": (page_text, ""),
        "ours with its shape": (page_lines, ""),
        "selectolax": (_selectolax(""), "selectolax"),
        "selectolax, a blank between parts": (_selectolax(" "), "selectolax"),
        "trafilatura": (_trafilatura, "trafilatura"),
    }
    for name, (read, package) in readers.items():
        began = time.perf_counter()
        texts = [read(source) for source in sources]
        spent = time.perf_counter() - began
        whole = [shown_and_read(t[0], text) for t, text in zip(truth, texts, strict=True)]
        main = [shown_and_read(t[1], text) for t, text in zip(truth, texts, strict=True) if t[1]]
        began = time.perf_counter()
        try:
            read(_HOSTILE)
            hostile = f"{time.perf_counter() - began:.2f} s"
        except Exception as error:
            hostile = type(error).__name__
        added = installed_bytes(package, _ours()) / 1e6 if package else 0.0
        speed = sum(map(len, sources)) / 1e6 / spent
        print(f"{name} | {_both(whole)} | {_both(main)} | {speed:.1f} | {hostile} | {added:.1f} MB")


def _both(pairs: Sequence[tuple[float, float]]) -> str:
    return " | ".join(f"{mean(column):.3f}" for column in zip(*pairs, strict=True))


@dataclass(frozen=True, slots=True)
class _Made:
    """The inputs that one way makes for one tool, and how long it took."""

    inputs: list[LiteralArguments]
    seconds: float


def _from_schema(files: ToolFiles) -> list[LiteralArguments]:
    return promised_inputs(files.spec.takes, _INPUTS, _SEED)


def _from_tests(files: ToolFiles) -> list[LiteralArguments]:
    name = files.spec.name
    calls = [call_source(case.call, name) or "" for case in files.suite]
    known = [one for call in calls if (one := read_call(call, name)) is not None]
    return vary(known, _INPUTS, constants=constants_in([files.code]), seed=_SEED)


def _by_hypothesis(files: ToolFiles) -> list[LiteralArguments]:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis_jsonschema import from_schema

    takes = files.spec.takes
    names = list(takes.required_or_all)
    schema = {**takes.schema, "required": names, "additionalProperties": False}
    schema["properties"] = {name: takes.schema_of(name) for name in names}
    found: list[LiteralArguments] = []

    @settings(max_examples=_INPUTS, database=None, derandomize=True, phases=[Phase.generate],
              deadline=None, suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(from_schema(schema))
    def draw(value: Any) -> None:
        found.append(LiteralArguments((), tuple(value.items())))

    draw()
    return found[:_INPUTS]


_WAYS = {"ours, from the schema": _from_schema, "hypothesis-jsonschema": _by_hypothesis,
         "ours, from the tool's tests": _from_tests}  # fmt: skip


def _named(files: ToolFiles, one: LiteralArguments) -> dict[str, Any]:
    places = zip(files.spec.takes.schemas, one.args, strict=False)
    return {**dict(places), **dict(one.kwargs)}


async def _found(sandbox: Sandbox, files: ToolFiles, calls: list[Call], most: int) -> Iterator[int]:
    """Calls that the tool answers, mutants that give another result to one of them, mutants."""
    wrong = [one.code for one in mutants(files.code, limit=most, seed=_SEED)]
    programs = [Program(code, files.spec.name) for code in (files.code, *wrong)]
    rows = await sandbox.matrix(programs, calls, case_wall_s=1.0)
    labels = Labels()
    plain, *others = ([labels.of(outcome) for outcome in row] for row in rows)
    return iter((sum(one.ok for one in rows[0]), sum(other != plain for other in others),
                 len(others)))  # fmt: skip


async def compare_generators(most: int) -> None:
    sandbox = await open_sandbox(load_settings())
    tools = list(starter_tools())
    print(f"{len(tools)} tools, {_INPUTS} inputs each, at most {most} mutants each")
    print("way | tools with inputs | valid | distinct | answered | mutants found | s")
    try:
        for name, way in _WAYS.items():
            served = valid = made = distinct = answered = killed = whole = 0
            spent = 0.0
            for files in tools:
                began = time.perf_counter()
                inputs = way(files)
                spent += time.perf_counter() - began
                each = list({one.written: one for one in inputs}.values())
                served += bool(each)
                made += len(inputs)
                distinct += len(each)
                takes = files.spec.takes
                valid += sum(takes.mismatch(_named(files, one)) == "" for one in inputs)
                calls = [one.call(files.spec.name) for one in each]
                ok, dead, all_of = await _found(sandbox, files, calls, most)
                answered, killed, whole = answered + ok, killed + dead, whole + all_of
            print(f"{name} | {served} | {valid / made:.1%} | {distinct / made:.1%}"
                  f" | {answered / distinct:.1%} | {killed} of {whole} | {spent:.1f}")  # fmt: skip
    finally:
        await sandbox.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ways = parser.add_subparsers(dest="way", required=True)
    pages = ways.add_parser("pages")
    pages.add_argument("folders", nargs="+", type=Path)
    pages.add_argument("--pages", type=int, default=60)
    inputs = ways.add_parser("inputs")
    inputs.add_argument("--mutants", type=int, default=10)
    given = parser.parse_args()
    if given.way == "pages":
        compare_readers(given.folders, given.pages)
    else:
        asyncio.run(compare_generators(given.mutants))


if __name__ == "__main__":
    main()
