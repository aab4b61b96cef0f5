"""A request as it was read: once, by rule, before anything is spent on it.

Everything that is learned from the words alone stands here. What depends on a tool (which value
is which parameter) or on the session (what "that result" means) is decided where those are known,
from this reading; no part reads the words a second time in a way of its own.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from hammerstone.library.memory.memory_instructions import MAY_INSTRUCT
from hammerstone.run.understand.literals import Literal, find_literals
from hammerstone.run.understand.mentions import NAMED, NUMBERED, PRONOUN
from hammerstone.run.understand.spoken_feedback import RIGHT, WRONG
from hammerstone.synthesis.request_examples import MAY_STATE_EXAMPLES

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\{.*\}|\[.*\]", re.DOTALL)
_BACK = re.compile(
    r"\b(that|those|this|these|it|its|them|their|again|same|previous|earlier|before|last|above"
    r"|former|also|instead|now|and for|what about|how about|i meant?|actually|sorry|no"
    r"|the (\w+ )?(results?|answer|table|list|file|rows|numbers?|text|ones?|other|output)"
    r"|(result|answer|step) #?\d+|result of)\b|^\s*and\b",
    re.IGNORECASE,
)
_CREATE = re.compile(
    r"\b(create|build|make|write|generate|develop)\b[^.?!]{0,40}\b(tool|function)\b", re.IGNORECASE
)
_PROSE = re.compile(
    r"\b(explain|summari[sz]e|describe|interpret|why|in words|in (?:a|one) sentence"
    r"|write (?:me )?(?:a|one) (?:short )?(?:sentence|paragraph|summary|note|explanation)"
    r"|tell me (?:about|what (?:this|that|it) means)|what does (?:this|that|it) mean)\b",
    re.IGNORECASE,
)
_VARIES = re.compile(
    r"^\s*(?:(?:no|nope|sorry|actually|wait|ok|okay|hm+)[,.! ]+)*(?:and|now|then|what about"
    r"|how about|do (?:that|it|this|the same)|the same|same|again|i meant|i mean|make (?:it|that)"
    r"|with|for|use|try)\b|^\s*(?:no|sorry|actually|wait)\b|\binstead\b|\bi meant\b",
    re.IGNORECASE,
)
_MOST_WORDS_VARYING = 14
_LONGEST_ANSWER = 12  # words
_SHORTEST_REQUEST = 4  # words of one that stands by itself
_FILES = re.compile(
    r"\b(files?|sheet|spreadsheet|workbook|csv|chart|image|picture|plot|diagram|document|report|pdf"
    r"|slides|table|data)\b|\b[\w-]+\.[a-z]{2,5}\b",
    re.IGNORECASE,
)
_LONGEST = 20_000  # characters that the rules look at: of a longer text the two ends
_TAIL = 4_000
_DATA = re.compile(r"'[^']*'|\"[^\"]*\"|`{3}.*?`{3}|\{.*\}|\[.*\]", re.DOTALL)
_TOOL = re.compile(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/-]|\.\w)")
_SKILL = re.compile(r"\s*/([a-z0-9]+(?:-[a-z0-9]+)*)(?=\s|$)")
_NAMES_WITHIN = 4_000  # characters
_MOST_NAMES = 8


_HIDDEN = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|\s{40,}")
_STRONG = re.compile(
    r"\s*(?:;|,?\s*(?:and\s+)?then\b,?|,?\s*after (?:that|which)\b,?|,?\s*followed by\b"
    r"|,?\s*(?:and\s+)?(?:finally|afterwards|next)\b,?|(?<=[.?!])\s+(?=[A-Z]))\s*",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"[\d'\"\[{]")  # a value of its own; "one share" is none
_FOLLOWS = re.compile(r"[a-z;]", re.IGNORECASE)  # more than the end of a sentence
_VERBS = (
    "add average calculate capitali[sz]e clean combine compare compute concatenate convert count "
    "create delete determine divide double draw encode estimate extract fetch filter find format "
    "generate get give group halve join list load lowercase make map mark measure merge multiply "
    "normali[sz]e parse pick plot predict print rank read remove rename replace return reverse "
    "round save select show shuffle sort split square subtract sum summari[sz]e take tell "
    "translate trim turn uppercase validate write"
)
_VERB = "(?:" + _VERBS.replace(" ", "|") + ")"
_ASKING = "what|how|who|when|where|which|why"
_WEAK = re.compile(rf"\s*,?\s+and\s+(?=(?:{_VERB}|{_ASKING})\b)", re.IGNORECASE)
_QUESTION = re.compile(rf"^\s*({_ASKING}|is|are|does|do|can)\b", re.IGNORECASE)
_STARTS = re.compile(rf"^\s*(?:please\s+|also\s+|now\s+)?{_VERB}\b", re.IGNORECASE)
_LEANS = re.compile(
    r"\b(it|its|them|their|that|those|these|this|each of|the (?:result|results|answer|output|first"
    r"|last|list|rest|remaining|sorted|filtered|others?))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RequestReading:
    """What the words of a request say by themselves."""

    text: str
    literals: tuple[Literal, ...]
    parts: tuple[str, ...]  # what a compound request falls into; the text alone when it is one
    ordered: bool  # the words say outright that one part comes after another
    refers_back: bool  # it may mean something said earlier; quoted text and data do not count
    varies: bool  # it may only say what is different from the request before
    names_action: bool  # it names something to do, beyond doing the same again
    forces_building: bool  # the person asks for a tool rather than for an answer
    wants_prose: bool  # a bare result would not be the answer
    about_files: bool
    judges: bool  # it may do nothing but judge the last answer
    may_answer: bool  # it can be the answer to a question, rather than another request
    may_state_examples: bool  # it may say what a call gives
    may_instruct: bool  # it may ask to remember or to forget something
    may_mention: bool  # it may mean an earlier value ("the second one")


@lru_cache(maxsize=512)
def read(text: str) -> RequestReading:
    """The reading of a text; the same text is read once. A very long one is one part."""
    ends = text if len(text) <= _LONGEST else f"{text[: _LONGEST - _TAIL]}\n{text[-_TAIL:]}"
    bare = _QUOTED.sub("", ends)
    parts = tuple(parts_of(text)) if ends is text else (text,)
    return RequestReading(
        text=text,
        literals=find_literals(text),
        parts=parts,
        ordered=len(parts) > 1 and is_strong(text),
        refers_back=_BACK.search(bare) is not None,
        varies=_VARIES.search(ends) is not None and len(ends.split()) <= _MOST_WORDS_VARYING,
        names_action=names_action(ends),
        forces_building=_CREATE.search(bare) is not None,
        wants_prose=_PROSE.search(bare) is not None,
        about_files=_FILES.search(ends) is not None,
        judges=bool(WRONG.match(ends) or RIGHT.match(ends)),
        may_answer=_may_answer(ends),
        may_state_examples=ends is not text or MAY_STATE_EXAMPLES.search(text) is not None,
        may_instruct=MAY_INSTRUCT.match(ends.strip()) is not None,
        may_mention=any(each.search(text) for each in (NUMBERED, NAMED, PRONOUN)),
    )


def _may_answer(text: str) -> bool:
    """Whether a text can be the answer to a question: it is short, asks nothing, and is no whole
    request, with something to do and values to do it with."""
    words = text.split()
    if len(words) > _LONGEST_ANSWER or text.rstrip().endswith("?"):
        return False
    whole = len(words) >= _SHORTEST_REQUEST and bool(_STARTS.match(text))
    return not (whole and find_literals(text) and _VARIES.search(text) is None)


def tool_names(text: str) -> tuple[str, ...]:
    """What could be a tool's name: words joined by underscores, outside of quotes and data."""
    bare = _DATA.sub(" ", text[:_NAMES_WITHIN])
    return tuple(dict.fromkeys(_TOOL.findall(bare)))[:_MOST_NAMES]


def skill_command(text: str) -> tuple[str, str] | None:
    """The skill that a person starts by its name, `/name what for`, and what for."""
    match = _SKILL.match(text[:_NAMES_WITHIN])
    return (match[1], text[match.end() :].strip()) if match else None


def parts_of(text: str) -> list[str]:
    """The parts a compound request falls into by its words; the text alone when it is one.

    Quoted text and data are never looked into.
    """
    hidden = _HIDDEN.sub(_nothing, text)
    cuts = [match.span() for match in _STRONG.finditer(hidden)]
    begins = [0, *(end for _, end in cuts)]
    for match in _WEAK.finditer(_STRONG.sub(_nothing, hidden)):
        begin = max(at for at in begins if at <= match.start())
        if asks(text[begin:]):  # "we add a tip and split it" tells, it does not ask
            cuts.append(match.span())
    pieces: list[_Piece] = []
    at, follows = 0, False
    for start, end in [*sorted(cuts), (len(text), len(text))]:
        piece = text[at:start]
        a_sentence = piece.endswith(".") and not text[start:end].strip()
        if cleaned := piece.strip(" ,.;"):
            pieces.append(_Piece(cleaned, a_sentence, follows and leans_back(cleaned)))
        at, follows = end, _FOLLOWS.search(text[start:end]) is not None
    return _merged(pieces) or [text]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a request between two cuts. `goes_on`: the words before say that it comes next,
    and it takes up what was before."""

    text: str
    a_sentence: bool
    goes_on: bool

    @property
    def asks_about_it(self) -> bool:
        """Whether it is a question without a value of its own that refers to nothing: it can only
        be about what stands before it ("What is one share?")."""
        question = _QUESTION.match(self.text) is not None and not self.goes_on
        return question and not _GIVEN.search(self.text) and not leans_back(self.text)

    @property
    def asks(self) -> bool:
        return self.goes_on or asks(self.text)


def _nothing(match: "re.Match[str]") -> str:
    """As many characters as were matched, none of which any pattern matches."""
    return "\x00" * len(match[0])


def _merged(pieces: list[_Piece]) -> list[str]:
    """Pieces that ask for nothing belong to the one before them; sentences at the beginning that
    only say what is given ("A garage takes 3 euros an hour.") to the one after them."""
    found: list[str] = []
    stating = False
    for piece in pieces:
        if found and (stating or piece.asks_about_it or not piece.asks):
            found[-1] = f"{found[-1]}. {piece.text}"
        else:
            found.append(piece.text)
        first = len(found) == 1 and not asks(found[-1])
        stating = piece.a_sentence and first and not piece.asks
    return found


def asks(piece: str) -> bool:
    """Whether a part of a request asks for something: a question, or something to do."""
    return bool(_STARTS.match(piece) or _QUESTION.match(piece))


def is_strong(text: str) -> bool:
    """Whether the words say outright that one thing comes after another."""
    hidden = _HIDDEN.sub("", text)
    return len(parts_of(text)) > 1 and _STRONG.search(hidden) is not None


def leans_back(piece: str) -> bool:
    """Whether a part of a request means what came before it."""
    return _LEANS.search(_HIDDEN.sub("", piece)) is not None


def names_action(text: str) -> bool:
    """Whether a request names something to do, beyond doing the same again."""
    hidden = re.sub(r"\b(make|do) (it|that|this)\b", " ", _HIDDEN.sub(" ", text))
    return re.search(rf"\b{_VERB}\b", hidden, re.IGNORECASE) is not None
