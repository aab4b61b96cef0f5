"""Is a request several requests? Told by its words, so that simple ones pay for no plan."""

import re

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|\s{40,}")
_STRONG = re.compile(
    r"\s*(?:;|,?\s*(?:and\s+)?then\b,?|,?\s*after (?:that|which)\b,?|,?\s*followed by\b"
    r"|,?\s*(?:and\s+)?(?:finally|afterwards|next)\b,?|(?<=[.?!])\s+(?=[A-Z]))\s*",
    re.IGNORECASE,
)
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


def parts_of(text: str) -> list[str]:
    """The parts a compound request falls into by its words; the text alone when it is one.

    Quoted text and data are never looked into.
    """
    hidden = _QUOTED.sub(_nothing, text)
    cuts = [match.span() for match in _STRONG.finditer(hidden)]
    cuts += [match.span() for match in _WEAK.finditer(_STRONG.sub(_nothing, hidden))]
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in [*sorted(cuts), (len(text), len(text))]:
        piece = text[at:start]
        a_sentence = piece.endswith(".") and not text[start:end].strip()
        if cleaned := piece.strip(" ,.;"):
            pieces.append((cleaned, a_sentence))
        at = end
    return _merged(pieces) or [text]


def _nothing(match: "re.Match[str]") -> str:
    """As many characters as were matched, none of which any pattern matches."""
    return "\x00" * len(match[0])


def _merged(pieces: list[tuple[str, bool]]) -> list[str]:
    """Pieces that ask for nothing belong to the one before them; sentences at the beginning that
    only say what is given ("A garage takes 3 euros an hour.") to the one after them."""
    found: list[str] = []
    stating = False
    for piece, a_sentence in pieces:
        if found and (stating or not asks(piece)):
            found[-1] = f"{found[-1]}. {piece}"
        else:
            found.append(piece)
        stating = a_sentence and not asks(found[-1]) and len(found) == 1 and not asks(piece)
    return found


def asks(piece: str) -> bool:
    """Whether a part of a request asks for something: a question, or something to do."""
    return bool(_STARTS.match(piece) or _QUESTION.match(piece))


def is_strong(text: str) -> bool:
    """Whether the words say outright that one thing comes after another."""
    hidden = _QUOTED.sub("", text)
    return len(parts_of(text)) > 1 and _STRONG.search(hidden) is not None


_LEANS = re.compile(
    r"\b(it|its|them|their|that|those|these|this|each of|the (?:result|results|answer|output|first"
    r"|last|list|rest|remaining|sorted|filtered|others?))\b",
    re.IGNORECASE,
)


def leans_back(piece: str) -> bool:
    """Whether a part of a request means what came before it."""
    return _LEANS.search(_QUOTED.sub("", piece)) is not None


def names_action(text: str) -> bool:
    """Whether a request names something to do, beyond doing the same again."""
    hidden = re.sub(r"\b(make|do) (it|that|this)\b", " ", _QUOTED.sub(" ", text))
    return re.search(rf"\b{_VERB}\b", hidden, re.IGNORECASE) is not None
