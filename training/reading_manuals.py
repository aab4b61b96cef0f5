"""Documentation of installed packages as Markdown: `python -m training.reading_manuals FILE OUT`.

FILE holds questions below `@package` lines; for each package its description, as its wheel ships
it, or for `python_TOPIC` that topic of Python's own manual. Marks of HTML and pictures are left
out, and what is behind the first 9,500 characters. OUT/questions.jsonl has the questions with their
texts as `python -m evals.document_ways` reads them.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from training.lines import write_lines

_CHARS = 9_500
_NOISE = [
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?"),
    re.compile(r"<[^>]+>"),
    re.compile(r"^\.\. (image|figure|_|\|).*(\n +:.*)*", re.MULTILINE),
]
_BLANKS = re.compile(r"\n{3,}")


def manual(name: str) -> str:
    """The documentation of a package, or a topic of Python's manual."""
    topic = name.removeprefix("python_").replace("_", "-")
    if name.startswith("python_") and topic in topics:
        text = topics[topic]
    else:
        metadata = distribution(name.replace("_", "-")).read_text("METADATA") or ""
        text = str(message_from_string(metadata).get_payload())
    for pattern in _NOISE:
        text = pattern.sub("", text)
    text = _BLANKS.sub("\n\n", text)[:_CHARS]
    text = text[: text.rfind("\n\n")].strip()
    return text if text.startswith(("#", "=")) else f"# {name.replace('_', ' ')}\n\n{text}"


def question_rows(lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The questions below each name, in the form of a set; without an answer, no file has one."""
    name = ""
    for number, line in enumerate(lines):
        if line.startswith("@"):
            name = f"{line[1:]}.md"
            continue
        question, _, answer = line.partition("|")
        inside = {"file": name, "answers": [answer]} if answer else {"file": None, "answers": []}
        yield {"id": f"t{number:03}", "q": question, **inside}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = options.questions.read_text("utf-8").splitlines()
    for name in (line[1:] for line in lines if line.startswith("@")):
        (options.out / f"{name}.md").write_text(manual(name) + "\n", "utf-8")
    write_lines(options.out / "questions.jsonl", list(question_rows(lines)))
    texts = [
        {"file": path.name, "text": path.read_text("utf-8")}
        for path in sorted(options.out.glob("*.md"))
    ]
    write_lines(options.out / "questions.texts.jsonl.gz", texts)


if __name__ == "__main__":
    main()
