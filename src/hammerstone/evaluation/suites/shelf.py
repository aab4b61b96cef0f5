"""The suites of this machine: folders in the data directory, copied in and checked."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.evaluation.suites.suite import CASES, HEAD, Suite, is_suite_name, read_suite

FOLDER = "suites"


class SuiteShelf:
    def __init__(self, settings: Settings) -> None:
        self._folder = settings.data_dir / FOLDER

    def add(self, source: Path, *, replace: bool = False) -> tuple[Suite, int]:
        """A checked copy of a suite, and how many cases it has.

        Raises `BadRequest` for a broken one, with the line, and for a name that is taken.
        """
        suite = read_suite(source)
        count = sum(1 for _ in suite.cases())
        if not count:
            raise BadRequest(f"{source / CASES} holds no case")
        target = self._folder / suite.name
        if target.exists() and not replace:
            raise BadRequest(f"there is a suite {suite.name!r} already", hint="add --replace")
        building = self._folder / f".{suite.name}.new"
        shutil.rmtree(building, ignore_errors=True)
        building.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copytree(source, building)
            shutil.rmtree(target, ignore_errors=True)
            building.rename(target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
        return read_suite(target), count

    def folders(self) -> list[Path]:
        """Where the suites are, by name."""
        return sorted(path.parent for path in self._folder.glob(f"[!.]*/{HEAD}"))

    def list(self) -> list[Suite]:
        return [read_suite(folder) for folder in self.folders()]

    def get(self, name: str) -> Suite:
        """The suite of a name. Raises `NotFound`."""
        folder = self._folder / name
        if not name or Path(name).name != name or not (folder / HEAD).is_file():
            raise NotFound(f"there is no suite {name!r}", hint="hammerstone suites list")
        return read_suite(folder)

    def remove(self, name: str) -> None:
        shutil.rmtree(self.get(name).folder)

    def append(
        self, name: str, case: JsonObject, files: Mapping[str, bytes] | None = None
    ) -> Suite:
        """A case more in a suite, which is made if there is none of that name, with its files.

        Raises `BadRequest` for a bad name and for a case that is there already.
        """
        if not is_suite_name(name):
            raise BadRequest(f"{name!r} is no name of a suite", hint="letters, digits, - and _")
        folder = self._folder / name
        if not (folder / HEAD).is_file():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / HEAD).write_text(f'name = "{name}"\n', "utf-8")
            (folder / CASES).touch()
        before = (folder / CASES).read_text("utf-8")
        own = f"files-{case['id']}"
        if files:
            (folder / own).mkdir(exist_ok=True)
            for file, content in files.items():
                (folder / own / Path(file).name).write_bytes(content)
            case = {**case, "files": [f"{own}/{Path(file).name}" for file in files]}
        line = json.dumps(case, ensure_ascii=False)
        (folder / CASES).write_text(f"{before}{line}\n", "utf-8")
        try:
            suite = read_suite(folder)
            for _ in suite.cases():
                pass
        except BadRequest:
            (folder / CASES).write_text(before, "utf-8")
            raise
        return suite
