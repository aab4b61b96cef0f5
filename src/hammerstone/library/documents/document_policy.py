"""The numbers that decide what is read of documents and what is answered from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DocumentPolicy:
    """Sizes of what is read, how passages are ordered, and when an answer is given."""

    name: ClassVar[str] = "documents"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "answer_from": (0, 1),
        "doubt_from": (0, 1),
        "sure_from": (0, 1),
        "about_from": (0, 1),
    }
    max_file_bytes: int = 32 << 20
    max_files: int = 20_000  # of one folder
    max_folder_bytes: int = 200 << 20  # of the files of one folder that are read: hours of vectors
    max_text_chars: int = 20_000_000  # of one document, once it is text
    read_seconds: float = 120.0  # for one PDF, DOCX or XLSX, in the sandbox
    read_memory_bytes: int = 768 << 20
    chunk_tokens: int = 512
    candidates: int = 100  # chunks whose sentences are compared
    meaning_weight: float = 1.0
    words_weight: float = 0.7  # of a sentence's words and those of its headings
    passage_weight: float = 0.5  # of the words of the whole passage
    said_weight: float = 0.3  # of the share of a question's words that it says
    pairs_weight: float = 0.1  # of the share of a question's neighbours that it says together
    past_weight: float = 0.3  # what a question that was answered before adds to its chunk
    past_similarity: float = 0.7  # how alike two questions are for that
    past_questions: int = 2_000
    excerpt_sentences: int = 3  # the best ones, each with its neighbours, are shown to a model
    excerpt_words: int = 160
    whole_words: int = 400  # of the nearest passage, which is shown a second time as a whole
    answer_from: float = 0.9  # how likely an answer has to be right to be given
    doubt_from: float = 0.4  # from here on it is shown as the likeliest, and not certain
    sure_from: float = 0.95
    about_from: float = 0.5  # how likely a question has to be about the documents to say no
    quoted: int = 2  # passages shown beside an answer
