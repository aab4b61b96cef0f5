"""What the recording lacks, as rows for a sampler, and the sampler's replies taken into it.

    python -m evals.replaying.collect rows OUT [--variant on] [--part 1/2] [--first 2]
    python -m evals.replaying.collect take PROMPTS REPLIES...
    python -m evals.replaying.collect ask PROMPTS [--purpose description]

`rows` sends the stream through a variant with a model that answers from the recording alone. Each
prompt that is not recorded becomes a row of OUT/<variant>.jsonl, or of OUT/<variant>.adapter.jsonl
where the embedded model has its adapter on (training/sample.py says what a row is); OUT/prompts
keeps what each row was asked for. A reply leads to prompts of the next round, so the two commands
alternate until there are no rows. `--first` takes no more than so many texts of each need that a
model solves, `--last` the last requests only, `--again` those that an earlier OUT was not done
with, `--part` the needs of one part, so that several processes share the work. `ask` asks the
embedded model of this machine instead of a sampler: slower, and with its grammar.

The sampler holds no grammar. Where a prompt has a schema, some spare replies are drawn, and the
first one that the schema accepts is kept, the greedy one before the others, without properties
that the schema does not have; where it accepts none, the prompt stays open for `ask`.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evals.replaying.bench import Bench, ReplayOutcome
from evals.replaying.kept_runs import seed_folder
from evals.replaying.stream import OF_STARTERS, ReplayRequest, Stream
from evals.replaying.variants import AGENT, VARIANTS
from hammerstone.core.chat import Message, Prompt, Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.families.families import read_check
from hammerstone.models.fakes import DrawBook, DrawnModel
from hammerstone.models.fakes.drawn import Draw, draw_key
from hammerstone.models.local.lora import SOLUTIONS
from hammerstone.models.opening import open_models
from hammerstone.models.structure import complaint, unfenced
from hammerstone.run.solve.answer_policy import AnswerPolicy

RECORDING = Path("evals/data/replay_draws.jsonl.gz")
DATA = Path("../shared/data")
PROMPTS, AGAIN = "prompts", "again"
SPARE = {"code": 24, "solution": 12, "tests": 3, "adjudicate": 4, "repair": 8}
OF_SCHEMA = 6  # replies to choose from where a schema has to accept one
SCHEMA_TEMPERATURE = 0.6  # of those after the greedy one


class Collector:
    """The prompts that were not recorded, each once, written as they are met."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._seen: set[str] = set()
        self._before = 0
        for part in (PROMPTS, AGAIN):
            (folder / part).mkdir(parents=True, exist_ok=True)

    def missing(self, prompt: Prompt, count: int) -> None:
        self._take(prompt, count)
        if prompt.purpose == "solution" and prompt.temperature == 0:
            # Whoever asks for the first solution soon asks for others.
            policy = AnswerPolicy()
            self._take(replace(prompt, temperature=policy.temperature), policy.max_solutions)

    def _take(self, prompt: Prompt, count: int) -> None:
        key = draw_key(prompt)
        if key in self._seen:
            return
        self._seen.add(key)
        ending = "adapter.jsonl" if prompt.purpose in SOLUTIONS else "jsonl"
        _append(self._folder / f"{self._name}.{ending}", _row(prompt, key, count))
        _append(self._folder / PROMPTS / f"{self._name}.jsonl", {"key": key, **asdict(prompt)})

    @property
    def found(self) -> int:
        return len(self._seen)

    def after(self, outcome: ReplayOutcome) -> None:
        """Note a request that asked for something new; another round begins with those."""
        if self.found > self._before:
            _append(self._folder / AGAIN / f"{self._name}.jsonl", {"number": outcome.number})
        self._before = self.found


def _row(prompt: Prompt, key: str, count: int) -> dict[str, Any]:
    greedy = prompt.temperature == 0
    wanted = max(count, SPARE.get(prompt.purpose, count))
    if greedy:
        wanted = OF_SCHEMA if prompt.schema is not None else 1
    return {
        "id": key,
        "messages": [{"role": one.author, "content": one.text} for one in prompt.messages],
        "n": wanted,
        "temperature": SCHEMA_TEMPERATURE if greedy else prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "greedy_first": greedy,
    }


def _append(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


async def collect(options: argparse.Namespace) -> int:
    """Run a variant with nothing but the recording; how many prompts it lacks."""
    families = DATA / "requests/families.jsonl"
    stream = Stream(families.parent).draw()[-options.last :]
    requests = chosen(stream, options.part, options.first)
    if options.again:
        path = options.again / AGAIN
        open_ones = {
            row["number"] for one in path.glob(f"{options.variant}*") for row in _rows(one)
        }
        requests = [one for one in requests if one.number in open_ones]
    name = f"{options.variant}{options.part.partition('/')[0]}"
    collector = Collector(options.out, name)
    drawn = DrawnModel(DrawBook.read(RECORDING), on_missing=collector.missing)
    with tempfile.TemporaryDirectory(prefix="hammerstone-collect-") as folder:
        bench = Bench(
            load_settings(), drawn, read_check(families), DATA, Path(folder), seed_folder()
        )
        if options.variant == AGENT:
            await bench.run_agent(requests, collector.after)
        else:
            variant = VARIANTS[options.variant]
            few = options.first or options.again  # they leave nothing to mine
            rounds = variant.rounds and not few
            await bench.run(replace(variant, rounds=rounds), requests, collector.after)
    return collector.found


def chosen(requests: Sequence[ReplayRequest], part: str, first: int) -> list[ReplayRequest]:
    """The requests of one part of the needs, each text once; with `first`, so many at most of each
    need that no starter tool answers."""
    number, _, parts = part.partition("/")
    needs = sorted({one.need for one in requests})
    mine = {need for at, need in enumerate(needs) if at % int(parts) == int(number) - 1}
    met: dict[str, dict[str, ReplayRequest]] = {need: {} for need in mine}
    for one in requests:
        texts = met.get(one.need, {})
        if not first or (one.need not in OF_STARTERS and len(texts) < first):
            texts.setdefault(one.text, one)
    kept = [one for texts in met.values() for one in texts.values()]
    return sorted(kept, key=lambda one: one.number)


def take(prompts: Path, replies: Iterable[Path]) -> int:
    """Put replies into the recording; how many prompts got theirs."""
    known = {row["key"]: row for path in prompts.glob("*.jsonl") for row in _rows(path)}
    book = DrawBook.read(RECORDING)
    taken = 0
    for row in (row for path in replies for row in _rows(path)):
        prompt = known.get(row["id"])
        if prompt is None or row["id"] in book.draws:
            continue
        pairs = zip(row["samples"], row["tokens"], strict=True)
        most = prompt["max_tokens"]
        draws = [Draw(text, count, "length" if count >= most else "stop") for text, count in pairs]
        if prompt["schema"] is not None:
            read = (replace(one, text=_within(one.text, prompt["schema"])) for one in draws)
            draws = [one for one in read if not complaint(one.text, prompt["schema"])][:1]
            if not draws:
                continue  # `ask` has a grammar
        book.add(row["id"], prompt["purpose"], draws)
        taken += 1
    book.write(RECORDING)
    return taken


def _within(text: str, schema: dict[str, Any]) -> str:
    """A reply without its fence, and without properties that no grammar would have let in."""
    bare = unfenced(text)
    try:
        value = json.loads(bare)
    except ValueError:
        return bare
    known = schema.get("properties", {})
    if schema.get("additionalProperties") is not False or not isinstance(value, dict):
        return bare
    return json.dumps({name: one for name, one in value.items() if name in known})


async def ask(folder: Path, purpose: str) -> int:
    """Answer prompts with the embedded model and put that into the recording; how many."""
    models = open_models(load_settings())
    answers = folder.parent / "asked.jsonl"
    drawn = DrawnModel(
        DrawBook.read(RECORDING, answers), models.for_role(Role.CODER), keep_in=answers
    )
    try:
        for path in sorted(folder.glob("*.jsonl")):
            for row in _rows(path):
                if purpose in ("", row["purpose"]):
                    drawn.begin()
                    with suppress(ModelNonsense):  # it is kept like any other reply
                        await drawn.complete(_prompt(row))
    finally:
        await models.close()
        book, new = DrawBook.read(RECORDING), DrawBook.read(answers)
        for key in new.draws.keys() - book.draws.keys():
            book.add(key, new.purposes[key], new.draws[key])
        book.write(RECORDING)
    return drawn.asked


def _prompt(row: dict[str, Any]) -> Prompt:
    values = {name: value for name, value in row.items() if name != "key"}
    messages = tuple(Message(**one) for one in values.pop("messages"))
    return Prompt(messages=messages, **{**values, "stop": tuple(values["stop"])})


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    rows = commands.add_parser("rows")
    rows.add_argument("out", type=Path)
    rows.add_argument("--variant", default="on", choices=[*VARIANTS, AGENT])
    rows.add_argument("--part", default="1/1")
    rows.add_argument("--first", type=int, default=0)
    rows.add_argument("--last", type=int, default=0)
    rows.add_argument("--again", type=Path)
    taking = commands.add_parser("take")
    taking.add_argument("prompts", type=Path)
    taking.add_argument("replies", type=Path, nargs="+")
    asking = commands.add_parser("ask")
    asking.add_argument("prompts", type=Path)
    asking.add_argument("--purpose", default="")
    options = parser.parse_args()
    if options.command == "rows":
        print(f"{asyncio.run(collect(options))} prompts are not recorded")
    elif options.command == "ask":
        print(f"{asyncio.run(ask(options.prompts, options.purpose))} prompts recorded")
    else:
        print(f"{take(options.prompts, options.replies)} prompts recorded")


if __name__ == "__main__":
    main()
