"""Articles of a Wikipedia dump as Markdown: `python -m training.reading_texts DUMP.bz2 OUT`.

The dump that a reader was trained with is the shortened English one among the tests' data of the
package gensim (CC BY-SA 3.0). Needs `mwparserfromhell`. Tables, lists, notes and short lines are
left out: what stays are headings and paragraphs.
"""

import argparse
import bz2
import html
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

_PAGE = re.compile(r"<page>(.*?)</page>", re.DOTALL)
_HEADING = re.compile(r"^(={2,5}[^=\n]+={2,5})\s*$", re.MULTILINE)
_NOISE = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"<!--.*?-->",
        r"<ref[^>/]*/>",
        r"<ref[^>]*>.*?</ref>",
        r"<(gallery|table|math|timeline|imagemap)[^>]*>.*?</\1>",
        r"\{\|.*?\n\|\}",
    )
]
_MEASURE = re.compile(r"\{\{convert\|([\d.,]+)\|([\w²/]+)[^}]*\}\}", re.IGNORECASE)
_FOREIGN = re.compile(r"\{\{(?:lang|nihongo)\|[^|}]*\|?([^|}]*)[^}]*\}\}")
_FILE = re.compile(r"\s*(?:file|image|category)\s*:", re.IGNORECASE)
_PASSED_OVER = re.compile(r"list of|.*disambiguation", re.IGNORECASE)
_LAST = {"references", "notes", "see also", "external links", "further reading", "bibliography",
         "footnotes", "citations", "sources", "works cited", "filmography"}  # fmt: skip
_LEAST_WORDS, _MOST_WORDS = 35, 5_500  # of a paragraph; of an article
_LEAST_CHARS, _LEAST_PARAGRAPHS = 9_000, 5  # of an article


def articles(dump: Path) -> Iterator[tuple[str, str]]:
    """Titles and texts in Markdown."""
    text = bz2.decompress(dump.read_bytes()).decode("utf-8")
    for page in _PAGE.findall(text):
        title = html.unescape(re.search("<title>(.*?)</title>", page)[1])  # type: ignore[index]
        body = re.search(r"<text[^>]*>(.*?)</text>", page, re.DOTALL)
        if body is None or len(body[1]) < _LEAST_CHARS or _PASSED_OVER.match(title):
            continue
        lines, count = _article(title, html.unescape(body[1]))
        if count >= _LEAST_PARAGRAPHS:
            yield title, "\n".join(lines)


def _article(title: str, body: str) -> tuple[list[str], int]:
    lines, words, count, waiting = [f"# {title}", ""], 0, 0, ""
    for part in _HEADING.split(body):
        heading = re.fullmatch(r"(={2,5})([^=\n]+)\1", part.strip())
        if heading:
            if len(heading[1]) == 2 and heading[2].strip().lower() in _LAST:
                break
            waiting = f"{'#' * len(heading[1])} {heading[2].strip()}"
            continue
        found = list(_paragraphs(part))
        if found and waiting:
            lines += [waiting, ""]
            waiting = ""
        for one in found:
            lines += [one, ""]
            words, count = words + len(one.split()), count + 1
        if words > _MOST_WORDS:
            break
    return lines, count


def _paragraphs(markup: str) -> Iterator[str]:
    for line in _plain(markup).split("\n"):
        one = re.sub(r"\s+", " ", line).strip(" *:#;")
        one = re.sub(r"\(\s*[;,]?\s*\)", "", one).replace(" ,", ",")
        marked = any(mark in one for mark in ("|", "{", "thumb"))
        if len(one.split()) >= _LEAST_WORDS and one.endswith((".", '"', "”", ")")) and not marked:
            yield re.sub(r"\s{2,}", " ", one)


def _plain(markup: str) -> str:
    for pattern in _NOISE:
        markup = pattern.sub("", markup)
    markup = _FOREIGN.sub(r"\1", _MEASURE.sub(r"\1 \2", markup))
    code = importlib.import_module("mwparserfromhell").parse(markup)
    for link in list(code.filter_wikilinks()):
        if _FILE.match(str(link.title)):
            try:
                code.remove(link)
            except ValueError:  # it went with another one
                continue
    return str(code.strip_code(normalize=True, collapse=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dump", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for title, text in articles(options.dump):
        name = re.sub(r"\W+", "_", title).lower()
        (options.out / f"{name}.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
