"""The skill that stands for the documents: listed and started like any other."""

from collections.abc import Sequence

from hammerstone.core.json_types import JsonObject
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.checking.front_matter import write_document
from hammerstone.library.skills.checking.rules import MAX_DESCRIPTION, SKILL_FILE
from hammerstone.library.skills.making.pages import plain_line
from hammerstone.library.skills.skill import shortened

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
