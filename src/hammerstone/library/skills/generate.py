"""A skill made from a folder of documentation: its pages are references, which are searched.

The structure is computed. A model is asked for one thing only, the description, and what it
says is checked like anything else; without one the description comes from the titles. The skill
that stands for the documents is listed and started like any other, too.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, ModelError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.front_matter import write_document
from hammerstone.library.skills.pages import Page, pieces, plain_line, read_pages
from hammerstone.library.skills.rules import (
    MAX_DESCRIPTION,
    MAX_NAME,
    SKILL_FILE,
    name_problem,
)
from hammerstone.library.skills.skill import REFERENCES, shortened
from hammerstone.prompts import load
from hammerstone.tracing import span

MAX_TOPICS = 30  # titles that the text names
MAX_REFERENCES = 250
PROMPT_CHARS = 3_000
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"description": {"type": "string", "maxLength": 400}},
    "required": ["description"],
    "additionalProperties": False,
}


async def generate(folder: Path, name: str | None, model: Model | None) -> Bundle:
    """The files of a skill about the documentation in a folder."""
    pages = read_pages(folder)
    wanted = name or _name_of(folder)
    if problem := name_problem(wanted):
        raise BadRequest(f"the skill's name {wanted!r}: {problem}", hint="--name chooses another")
    with span(f"generate skill {wanted}", kind="step", input=str(folder)) as traced:
        references = _references(pages)
        description, author = await _description(wanted, pages, model)
        fields: JsonObject = {
            "name": wanted,
            "description": description,
            "metadata": {
                "generated-by": "hammerstone",
                "pages": str(len(pages)),
                "description-by": author,
            },
        }
        files = {SKILL_FILE: write_document(fields, _body(wanted, pages))}
        for path, _, text in references:
            files[path] = text.rstrip() + "\n"
        traced.output = {"pages": len(pages), "references": len(references)}
    return Bundle(wanted, {path: text.encode() for path, text in files.items()}, "generated")


def _name_of(folder: Path) -> str:
    """A name after the folder; one that says nothing takes its parent's along."""
    own = folder.resolve()
    parts = [own.name]
    if own.name.lower() in ("docs", "doc", "documentation") and own.parent.name:
        parts = [own.parent.name, "docs"]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower())
    return name.strip("-")[:MAX_NAME].strip("-") or "documentation"


def _references(pages: Sequence[Page]) -> list[tuple[str, Page, str]]:
    """Path, page and text of every reference file; long pages are several."""
    found: list[tuple[str, Page, str]] = []
    taken: set[str] = set()
    for page in pages:
        parts = pieces(page)
        for number, (_, text) in enumerate(parts, 1):
            path = _reference_path(page.path, number if len(parts) > 1 else 0, taken)
            taken.add(path)
            found.append((path, page, text))
    if len(found) > MAX_REFERENCES:
        raise BadRequest(
            f"the documentation makes {len(found)} files, allowed are {MAX_REFERENCES}"
        )
    return found


def _reference_path(path: str, number: int, taken: set[str]) -> str:
    """One folder deep, as the specification advises, with a plain name."""
    stem = str(PurePosixPath(path).with_suffix("")).replace("/", "-")
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:80] or "page"
    part = f"-{number}" if number else ""
    candidate, again = f"{REFERENCES}{plain}{part}.md", 1
    while candidate in taken:
        again += 1
        candidate = f"{REFERENCES}{plain}{part}-{again}.md"
    return candidate


def _body(name: str, pages: Sequence[Page]) -> str:
    """What the skill says: what it holds, and that it is searched; no list that grows with it."""
    topics = list(dict.fromkeys(plain_line(page.title) for page in pages))
    lines = [
        f"# {name.replace('-', ' ')}",
        "",
        f"This skill holds {len(pages)} pages of documentation as references. They are searched: "
        "the passages nearest to a question are shown beside it. Answer from what they say, and "
        "name the file. If no passage says it, say so.",
        "",
        f"It speaks of: {'; '.join(topics[:MAX_TOPICS])}"
        + (f"; and {len(topics) - MAX_TOPICS} more." if len(topics) > MAX_TOPICS else "."),
    ]
    return "\n".join(lines)


async def _description(name: str, pages: Sequence[Page], model: Model | None) -> tuple[str, str]:
    """The description and who wrote it."""
    if model is not None:
        try:
            return await _asked(name, pages, model), model.name
        except ModelError:
            pass  # an index with a plain description is worth more than none
    return _plain_description(name, pages), "titles"


async def _asked(name: str, pages: Sequence[Page], model: Model) -> str:
    outline = "\n".join(
        f"- {plain_line(page.title)}: {plain_line(shortened(page.summary, 160))}" for page in pages
    )
    titles = as_data("titles of the pages", outline, PROMPT_CHARS)
    prompt = Prompt(
        load("describe_skill").fill(name=name, titles=titles),
        schema=_SCHEMA,
        max_tokens=200,
        purpose="skill description",
    )
    reply = await model.complete(prompt)
    told = plain_line(str(json.loads(reply.text)["description"]))
    if len(told) < 20:
        raise ModelError("the description is empty")
    return shortened(told, MAX_DESCRIPTION)


def _plain_description(name: str, pages: Sequence[Page]) -> str:
    titles = list(dict.fromkeys(plain_line(page.title) for page in pages))
    about = ", ".join(titles[:12])
    told = f"Documentation of {name.replace('-', ' ')}: {about}. Use when a question is about it."
    return shortened(told, MAX_DESCRIPTION)


DOCUMENTS = "documents"
_MOST_TITLES = 12
_BODY = """# Documents

Answers questions from the documents that were added (`hammerstone documents list`). They are
searched, not listed: passages are found by meaning and words, an answer is quoted from them with
its file and line, and where they do not support one, it says so.
"""


def document_skill(titles: Sequence[str]) -> Bundle:
    """The skill for documents with these titles.

    Agents do not choose it by its description: a request's own words are looked up in the
    documents, which says more about whether they can answer it.
    """
    named = list(dict.fromkeys(plain_line(title) for title in titles))
    about = ", ".join(named[:_MOST_TITLES])
    more = f" and {len(named) - _MOST_TITLES} more" if len(named) > _MOST_TITLES else ""
    told = f"Answers questions from {len(titles)} documents: {about}{more}."
    fields: JsonObject = {
        "name": DOCUMENTS,
        "description": shortened(told, MAX_DESCRIPTION),
        "disable-model-invocation": True,
        "metadata": {"generated-by": "hammerstone"},
    }
    return Bundle(DOCUMENTS, {SKILL_FILE: write_document(fields, _BODY).encode()}, "documents")
