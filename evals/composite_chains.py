"""Tools and chains for evals/composites.py: nested values, lists, constants, renamed fields."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

WORDS = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "hazel", "iris", "jade",
    "koala", "lemon", "maple", "nutmeg",
]  # fmt: skip


@dataclass(frozen=True)
class ToolText:
    code: str
    about: str
    parameters: dict[str, Any]
    effect: str = "pure"


@dataclass(frozen=True)
class Step:
    tool: str
    arguments: dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Chain:
    """`draw(rng, number)` gives what the person says the number-th time."""

    name: str
    steps: tuple[Step, ...]
    draw: Callable[[random.Random, int], dict[str, Any]]
    times: int = 5
    sessions: int = 3
    declared: bool = True
    request: str = field(default="do it again")

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(step.tool for step in self.steps)


def ask(name: str) -> tuple[str, str]:
    return ("ask", name)


def fixed(value: Any) -> tuple[str, Any]:
    return ("fixed", value)


def of(step: int, *path: str | int) -> tuple[Any, ...]:
    return ("from", step, *path)


def _tool(head: str, body: str, about: str, effect: str = "pure", **kinds: str) -> ToolText:
    return ToolText(
        f"def {head}:\n    {body}\n", about, {k: {"type": v} for k, v in kinds.items()}, effect
    )


TOOLS: dict[str, ToolText] = {
    "split_words": _tool(
        "split_words(text)", "return text.split()", "The words of a text", text="string"
    ),
    "count_items": _tool(
        "count_items(items)", "return len(items)", "How many items", items="array"
    ),
    "summarise": _tool(
        "summarise(numbers)",
        "return {'total': sum(numbers), 'stats': {'low': min(numbers), 'high': max(numbers)},"
        " 'items': sorted(numbers)}",
        "Total, smallest and largest of numbers",
        numbers="array",
    ),
    "add_tax": _tool(
        "add_tax(amount, rate=19)",
        "return round(amount * (1 + rate / 100), 2)",
        "Amount with tax",
        amount="number",
        rate="number",
    ),
    "to_currency": _tool(
        "to_currency(value, currency)",
        "return {'amount': round(value * {'EUR': 0.9, 'USD': 1.0, 'GBP': 0.8}[currency], 2),"
        " 'unit': currency}",
        "Value in another currency",
        value="number",
        currency="string",
    ),
    "format_price": _tool(
        "format_price(price, unit)",
        "return f'{price:,.2f} {unit}'",
        "A price as text",
        price="number",
        unit="string",
    ),
    "parse_order": _tool(
        "parse_order(line)",
        "parts = line.split(';'); return {'customer': {'name': parts[0], 'city': parts[1]},"
        " 'lines': [{'sku': p.split(':')[0], 'qty': int(p.split(':')[1])} for p in parts[2:]]}",
        "An order line taken apart",
        line="string",
    ),
    "stock_of": _tool(
        "stock_of(sku)", "return sum(map(ord, sku)) % 97", "How many are in stock", sku="string"
    ),
    "enough": _tool(
        "enough(stock, wanted)",
        "return {'ok': stock >= wanted, 'missing': max(0, wanted - stock)}",
        "Whether the stock is enough",
        stock="integer",
        wanted="integer",
    ),
    "greeting": _tool(
        "greeting(person, place)",
        "return f'Dear {person} in {place}'",
        "A greeting",
        person="string",
        place="string",
    ),
    "slug": _tool(
        "slug(title)",
        "return '-'.join(title.lower().split())",
        "A title for addresses",
        title="string",
    ),
    "checksum": _tool(
        "checksum(data)",
        "import zlib; return zlib.crc32(data.encode())",
        "Check sum",
        data="string",
    ),
    "tag": _tool(
        "tag(name, number, prefix='v')",
        "return {'id': f'{prefix}{number}', 'label': f'{name}-{number}'}",
        "A tag",
        name="string",
        number="integer",
        prefix="string",
    ),
    "longest": _tool(
        "longest(words)", "return max(words, key=len)", "The longest word", words="array"
    ),
    "mirror": _tool("mirror(word)", "return word[::-1]", "A word backwards", word="string"),
    "pair_up": _tool(
        "pair_up(left, right)",
        "return [left, right]",
        "Two things together",
        left="string",
        right="string",
    ),
    "rows_of": _tool(
        "rows_of(table)",
        "return [dict(zip(table[0], row)) for row in table[1:]]",
        "Rows of a table",
        table="array",
    ),
    "column": _tool(
        "column(rows, name)",
        "return [row[name] for row in rows]",
        "A column of rows",
        rows="array",
        name="string",
    ),
    "average": _tool(
        "average(values)", "return sum(values) / len(values)", "The mean", values="array"
    ),
    "grade": _tool(
        "grade(score, scale)",
        "return 'good' if score >= scale / 2 else 'poor'",
        "A grade",
        score="number",
        scale="number",
    ),
    "top": _tool(
        "top(items, n)",
        "return sorted(items, reverse=True)[:n]",
        "The largest n",
        items="array",
        n="integer",
    ),
    "span_of": _tool(
        "span_of(low, high)", "return high - low", "The distance", low="number", high="number"
    ),
    "repeat": _tool(
        "repeat(word, times)",
        "return word * times",
        "A word repeated",
        word="string",
        times="integer",
    ),
    "shout": _tool("shout(text)", "return text.upper() + '!'", "Loudly", text="string"),
    "half": _tool(
        "half(n)", "assert n % 2 == 0; return n // 2", "Half of an even number", n="integer"
    ),
    "note": _tool("note(text)", "return {'saved': text}", "Keeps a note", "writes", text="string"),
    "pick": _tool(
        "pick(n)",
        "return {'a': n, 'b': n, 'c': n + 1}",
        "A record in which two fields agree",
        n="integer",
    ),
    "twice": _tool("twice(n)", "return n * 2", "Twice a number", n="integer"),
    "one": _tool("one(n)", "return 1", "Always one", n="integer"),
    "upto": _tool(
        "upto(n, step)",
        "return list(range(0, n, step))",
        "Numbers up to n",
        n="integer",
        step="integer",
    ),
}


def _text(rng: random.Random, _: int) -> dict[str, Any]:
    return {"text": " ".join(rng.choices(WORDS, k=rng.randint(3, 9)))}


def _numbers(rng: random.Random, _: int) -> dict[str, Any]:
    return {"numbers": [rng.randint(1, 900) for _ in range(rng.randint(2, 8))]}


def _order(rng: random.Random, _: int) -> dict[str, Any]:
    lines = [
        f"{rng.choice(WORDS)}{rng.randint(1, 99)}:{rng.randint(1, 90)}"
        for _ in range(rng.randint(1, 4))
    ]
    return {"line": ";".join([rng.choice(WORDS).title(), rng.choice(WORDS).title(), *lines])}


def _table(rng: random.Random, _: int) -> dict[str, Any]:
    rows = [
        [rng.choice(WORDS), rng.randint(0, 100), rng.randint(1, 9)]
        for _ in range(rng.randint(2, 6))
    ]
    return {"table": [["name", "points", "age"], *rows]}


def _with(draw: Callable[..., dict[str, Any]], **more: Callable[[random.Random], Any]) -> Any:
    return lambda rng, number: {**draw(rng, number), **{k: make(rng) for k, make in more.items()}}


def _none(rng: random.Random, number: int) -> dict[str, Any]:
    return {}


def _int(low: int, high: int) -> Callable[[random.Random], int]:
    return lambda rng: rng.randint(low, high)


def _word(rng: random.Random) -> str:
    return rng.choice(WORDS)


S = Step
CHAINS: tuple[Chain, ...] = (
    Chain(
        "words counted",
        (S("split_words", {"text": ask("text")}), S("count_items", {"items": of(0)})),
        _text,
    ),
    Chain(
        "longest word",
        (S("split_words", {"text": ask("text")}), S("longest", {"words": of(0)})),
        _text,
        times=3,
    ),
    Chain(
        "longest mirrored",
        (
            S("split_words", {"text": ask("text")}),
            S("longest", {"words": of(0)}),
            S("mirror", {"word": of(1)}),
        ),
        _text,
        times=6,
        sessions=2,
    ),
    Chain(
        "total taxed",
        (
            S("summarise", {"numbers": ask("numbers")}),
            S("add_tax", {"amount": of(0, "total"), "rate": ask("rate")}),
        ),
        _with(_numbers, rate=_int(5, 25)),
    ),
    Chain(
        "total taxed, constant rate",
        (
            S("summarise", {"numbers": ask("numbers")}),
            S("add_tax", {"amount": of(0, "total"), "rate": fixed(19)}),
            S("to_currency", {"value": of(1), "currency": fixed("EUR")}),
        ),
        _numbers,
        times=4,
    ),
    Chain(
        "price text",
        (
            S("to_currency", {"value": ask("value"), "currency": ask("currency")}),
            S("format_price", {"price": of(0, "amount"), "unit": of(0, "unit")}),
        ),
        _with(_none, value=_int(1, 5000), currency=lambda rng: rng.choice(["EUR", "USD", "GBP"])),
        times=7,
    ),
    Chain(
        "price text of total",
        (
            S("summarise", {"numbers": ask("numbers")}),
            S("to_currency", {"value": of(0, "total"), "currency": ask("currency")}),
            S("format_price", {"price": of(1, "amount"), "unit": of(1, "unit")}),
        ),
        _with(_numbers, currency=lambda rng: rng.choice(["EUR", "USD", "GBP"])),
    ),
    Chain(
        "range of numbers",
        (
            S("summarise", {"numbers": ask("numbers")}),
            S("span_of", {"low": of(0, "stats", "low"), "high": of(0, "stats", "high")}),
        ),
        _numbers,
        times=10,
    ),
    Chain(
        "top of items",
        (
            S("summarise", {"numbers": ask("numbers")}),
            S("top", {"items": of(0, "items"), "n": ask("n")}),
        ),
        _with(_numbers, n=_int(1, 4)),
    ),
    Chain(
        "greeting from order",
        (
            S("parse_order", {"line": ask("line")}),
            S(
                "greeting",
                {"person": of(0, "customer", "name"), "place": of(0, "customer", "city")},
            ),
        ),
        _order,
    ),
    Chain(
        "first line in stock",
        (
            S("parse_order", {"line": ask("line")}),
            S("stock_of", {"sku": of(0, "lines", 0, "sku")}),
            S("enough", {"stock": of(1), "wanted": of(0, "lines", 0, "qty")}),
        ),
        _order,
        times=8,
    ),
    Chain(
        "last line mirrored",
        (
            S("parse_order", {"line": ask("line")}),
            S("mirror", {"word": of(0, "lines", -1, "sku")}),
        ),
        _order,
        times=6,
    ),
    Chain(
        "slug checked", (S("slug", {"title": ask("text")}), S("checksum", {"data": of(0)})), _text
    ),
    Chain(
        "slug tagged",
        (
            S("slug", {"title": ask("text")}),
            S("checksum", {"data": of(0)}),
            S("tag", {"name": of(0), "number": of(1), "prefix": fixed("r")}),
        ),
        _text,
    ),
    Chain(
        "slug tagged and shouted",
        (
            S("slug", {"title": ask("text")}),
            S("checksum", {"data": of(0)}),
            S("tag", {"name": of(0), "number": of(1), "prefix": ask("prefix")}),
            S("shout", {"text": of(2, "label")}),
        ),
        _with(_text, prefix=_word),
        times=5,
    ),
    Chain(
        "column mean",
        (
            S("rows_of", {"table": ask("table")}),
            S("column", {"rows": of(0), "name": fixed("points")}),
            S("average", {"values": of(1)}),
        ),
        _table,
    ),
    Chain(
        "column graded",
        (
            S("rows_of", {"table": ask("table")}),
            S("column", {"rows": of(0), "name": ask("name")}),
            S("average", {"values": of(1)}),
            S("grade", {"score": of(2), "scale": fixed(100)}),
        ),
        _with(_table, name=lambda rng: rng.choice(["points", "age"])),
        times=6,
    ),
    Chain(
        "five steps",
        (
            S("rows_of", {"table": ask("table")}),
            S("column", {"rows": of(0), "name": fixed("points")}),
            S("top", {"items": of(1), "n": ask("n")}),
            S("summarise", {"numbers": of(2)}),
            S("add_tax", {"amount": of(3, "total"), "rate": fixed(7)}),
        ),
        _with(_table, n=_int(1, 3)),
        times=5,
    ),
    Chain(
        "mirror paired",
        (S("mirror", {"word": ask("word")}), S("pair_up", {"left": ask("word"), "right": of(0)})),
        _with(_none, word=_word),
        times=8,
        sessions=4,
    ),
    Chain(
        "repeat mirrored",
        (S("mirror", {"word": ask("word")}), S("repeat", {"word": of(0), "times": ask("times")})),
        _with(_none, word=_word, times=_int(2, 5)),
        times=3,
        sessions=3,
    ),
    Chain(
        "undeclared total",
        (S("summarise", {"numbers": ask("numbers")}), S("half", {"n": of(0, "total")})),
        lambda rng, n: {"numbers": [2 * rng.randint(1, 300) for _ in range(rng.randint(3, 7))]},
        times=6,
        declared=False,
    ),
    Chain(
        "undeclared words",
        (
            S("split_words", {"text": ask("text")}),
            S("longest", {"words": of(0)}),
            S("shout", {"text": of(1)}),
        ),
        _text,
        times=5,
        declared=False,
    ),
    Chain(
        "undeclared nested",
        (S("parse_order", {"line": ask("line")}), S("shout", {"text": of(0, "customer", "city")})),
        _order,
        times=6,
        declared=False,
    ),
    Chain(
        "steps of a total",
        (
            S("twice", {"n": ask("n")}),
            S("upto", {"n": of(0), "step": ask("step")}),
            S("count_items", {"items": of(1)}),
        ),
        _with(_none, n=_int(3, 40), step=_int(1, 4)),
        times=5,
    ),
)

TRAPS: tuple[Chain, ...] = (
    # The second value is the person's own; it happens to equal the first result each time.
    Chain(
        "coincidence",
        (S("one", {"n": ask("n")}), S("repeat", {"word": ask("word"), "times": fixed(1)})),
        _with(_none, n=_int(1, 9), word=_word),
        times=8,
        declared=False,
    ),
    # Two fields always agree: which one it was nobody can tell.
    Chain(
        "ambiguous",
        (S("pick", {"n": ask("n")}), S("twice", {"n": of(0, "a")})),
        _with(_none, n=_int(1, 99)),
        times=8,
        declared=False,
    ),
    Chain(
        "fails too often",
        (S("twice", {"n": ask("n")}), S("half", {"n": ask("m")}), S("twice", {"n": of(1)})),
        lambda rng, n: {"n": rng.randint(1, 50), "m": 2 * rng.randint(1, 50) + (n % 2)},
        times=10,
        sessions=5,
    ),
    Chain(
        "one session, many times",
        (S("mirror", {"word": ask("word")}), S("shout", {"text": of(0)})),
        _with(_none, word=_word),
        times=60,
        sessions=1,
    ),
    Chain(
        "writes", (S("slug", {"title": ask("text")}), S("note", {"text": of(0)})), _text, times=6
    ),
    Chain(
        "no data between",
        (S("mirror", {"word": ask("word")}), S("twice", {"n": ask("n")})),
        _with(_none, word=_word, n=_int(1, 99)),
        times=6,
    ),
)
