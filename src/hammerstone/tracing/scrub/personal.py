"""Rules for personal data, and for the addresses of hosts."""

import re

from hammerstone.tracing.scrub.checks import (
    iban_length,
    is_calling_number,
    is_card,
    is_host_v4,
    is_host_v6,
)
from hammerstone.tracing.scrub.rules import Gates, Place, Rule

_LOCAL_CHARS = frozenset("._%+-'")
_FILE_ENDING = re.compile(
    r"png|jpe?g|gif|svg|webp|ico|bmp|pdf|[jt]sx?|s?css|html|json|ya?ml|toml|xml|csv|txt|log|lock|"
    r"tgz|gz|whl|exe|dll|bin"
)


def _email_place(match: re.Match[str], text: str) -> Place | None:
    """The match is `@domain`; the part before is read backwards, so no run is read twice."""
    at, end = match.span()
    start = at
    while start > 0 and at - start < 64:
        char = text[start - 1]
        if not (char.isalnum() or char in _LOCAL_CHARS):
            break
        start -= 1
    while start < at and text[start] in ".'-":
        start += 1
    if start == at or text[at - 1] == "." or _FILE_ENDING.fullmatch(match["ending"].lower()):
        return None
    after = text[end : end + 1]
    if after == "(" or (after == ":" and text[start:at] == "git"):
        return None  # a method of a matrix product; the address of a repository
    return start, end


_EMAIL = Rule(
    "email",
    re.compile(
        r"[@%](?:(?<=@)|40)(?:[^\W_](?:[\w\-]{0,61}[^\W_])?\.){1,8}(?P<ending>[^\W\d_]{2,24}|xn--[\w\-]{2,40})"
        r"(?![\w@])"
    ),
    ("@", "%40"),
    _email_place,
)


def _iban_place(match: re.Match[str], text: str) -> Place | None:
    start = match.start() - 2
    length = iban_length(re.sub(r"[ \-]", "", text[start : match.end()]).upper())
    if length is None:
        return None
    end, seen = start, 0
    while seen < length:
        seen += text[end] not in " -"
        end += 1
    return None if text[end : end + 1].isalnum() else (start, end)


# Found by its check digits: in most texts they are rarer than two letters.
_IBAN = Rule(
    "iban",
    re.compile(r"[0-9]\d(?<=(?<![A-Za-z0-9])[A-Za-z][A-Za-z]\d\d)(?:[ \-]?[A-Za-z0-9]){11,30}+"),
    locate=_iban_place,
    numeric=True,
)


def _card_place(match: re.Match[str], text: str) -> Place | None:
    start, end = match.start(), match.end("rest")
    return (start, end) if is_card(re.sub(r"\D", "", text[start:end])) else None


# What follows the first digit is only looked at, not passed over: in a row of groups of four
# the number may begin at the next group.
_CARD = Rule(
    "card",
    re.compile(
        r"[2-6](?<![\w.][2-6])(?=(?P<rest>\d{13,18}"
        r"|\d{3}(?P<gap>[ \-])"
        r"(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?|\d{6}(?P=gap)\d{4,5})"
        r")(?!\w|\.\d))"
    ),
    locate=_card_place,
    numeric=True,
)


def _calling_place(match: re.Match[str], text: str) -> Place | None:
    """The longest run of groups that is a number: what follows after a space may not belong."""
    start, end = match.span()
    while not _is_calling(text[start:end]):
        end = text.rfind(" ", start, end)
        if end <= start:
            return None
    return start, end


def _is_calling(number: str) -> bool:
    groups = [group for group in re.split(r"\D+", number) if group]
    if sum(len(group) == 1 for group in groups) > 2:
        return False  # a row of single digits is a sum, not a number to call
    if len(groups) == 2 and "." in number and " " not in number:
        return False  # a decimal number with its sign
    digits = "".join(groups).removeprefix("00")
    # The "(0)" of +44 (0)20 is dialled only inside the country.
    return is_calling_number(digits.replace("0", "", 1) if "(0)" in number else digits)


_NUMBER = r"(?:[ .\-/()\u00a0\u2011]{0,3}+\d){6,16}+(?!\w|\.\d)"
_CALLING = Rule(
    "phone",
    re.compile(rf"\+(?<![\w+.)\]]\+)\(?\d{_NUMBER}"),
    ("+",),
    _calling_place,
)
_CALLING_00 = Rule(
    "phone",
    re.compile(rf"00(?<![\w+.)\]\-]00)[1-9](?=\d{{0,2}}[ \-/]){_NUMBER}"),
    ("00",),
    _calling_place,
)


def _north_american_place(match: re.Match[str], text: str) -> Place | None:
    start, end = match.span()
    if text[max(0, start - 2) : start] in ("1-", "1 ", "1."):
        start -= 2
    before = text[max(0, start - 2) : start]
    if before[-1:].isalnum() or before[-1:] in tuple(".+-/$_") or re.match(r"\d ", before):
        return None
    return start, end


_AREA_IN_BRACKETS = Rule(
    "phone",
    re.compile(r"\([2-9]\d\d\) ?[2-9]\d\d[ .\-]\d{4}(?!\w|[.\-/]\d)"),
    ("(",),
    _north_american_place,
    numeric=True,
)
_NORTH_AMERICA = Rule(
    "phone",
    re.compile(r"[2-9](?<!\w[2-9])\d\d([.\-])[2-9]\d\d\1\d{4}(?!\w|[.\-/]\d)"),
    locate=_north_american_place,
    numeric=True,
)


def _labelled_place(match: re.Match[str], text: str) -> Place | None:
    place = match.span(1)
    value = match[1]
    if re.fullmatch(r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}", value):
        return None  # a date
    return place


_LABELLED_PHONE = Rule(
    "phone",
    re.compile(
        r"(?<![a-z])(?:tel(?:ephone|efon)?|phone|mobile|mobil|cell|fax|handy|whatsapp|sms)"
        r"(?:[ _\-]?(?:number|nummer|no|nr)\b)?[\"']?[.:=# ]{1,4}[\"']?"
        r"(\(?\+?\d(?:[ .\-/()]{0,2}+\d){6,14}+)(?!\w)"
    ),
    ("tel", "phone", "mobil", "cell", "fax", "handy", "whatsapp", "sms"),
    _labelled_place,
    gate=Gates.LOWERED,
)

_VERSION_BEFORE = re.compile(
    r"(?i)(?:\b(?:version|ver|release|build|rev|revision|section|chapter|clause|oid|update)"
    r"[\s:=.\"'#v]{0,4}|\bv|==|>=|<=|~=|\^|/v)\Z"
)


def _v4_place(match: re.Match[str], text: str) -> Place | None:
    start = match.start()
    if _VERSION_BEFORE.search(text, max(0, start - 16), start) or not is_host_v4(match[0]):
        return None
    return match.span()


_V4 = Rule(
    "ip",
    re.compile(r"[0-9](?<![\w.\-]\d)\d{0,2}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|\.\d|-\w)"),
    (".",),
    _v4_place,
    numeric=True,
)


def _v6_place(match: re.Match[str], text: str) -> Place | None:
    start = match.start() - 4
    value = text[start : match.end()].rstrip(".")
    if not is_host_v6(value):
        value = value.rstrip(":")
        if not is_host_v6(value):
            return None
    return start, start + len(value)


# Every range in use has four digits in its first group.
_V6 = Rule(
    "ip",
    re.compile(r":(?<=(?<![\w:.])[0-9A-Fa-f]{4}:)[0-9A-Fa-f:.]{1,41}+(?!\w)"),
    (":",),
    _v6_place,
)


def _mac_place(match: re.Match[str], text: str) -> Place | None:
    return match.start() - 2, match.end()


def _mac(separator: str) -> Rule:
    pair = "[0-9A-Fa-f]{2}"
    pattern = re.compile(
        rf"{separator}(?<=(?<![\w:\-]){pair}{separator}){pair}(?:{separator}{pair}){{4}}(?![\w:]|-\w)"
    )
    return Rule("mac", pattern, (separator,), _mac_place)


def _host_place(match: re.Match[str], text: str) -> Place | None:
    name = match[0]
    numbered = any(char.isdigit() or char == "-" for char in name)
    return match.span() if numbered or name.count(".") > 1 else None


_HOST = Rule(
    "host",
    re.compile(
        r"(?<![\w.\-])[a-z][a-z0-9\-]{0,62}(?:\.[a-z0-9][a-z0-9\-]{0,62}){0,6}"
        r"\.(?:internal|corp|intranet|lan)(?![\w\-(]|\.\w)"
    ),
    (".internal", ".corp", ".intranet", ".lan"),
    _host_place,
)

PERSONAL_RULES: tuple[Rule, ...] = (
    _EMAIL,
    _IBAN,
    _CARD,
    _CALLING,
    _CALLING_00,
    _AREA_IN_BRACKETS,
    _NORTH_AMERICA,
    _LABELLED_PHONE,
    _mac(":"),
    _mac("-"),
    _V6,
    _V4,
    _HOST,
)
PERSONAL_KINDS = frozenset(rule.kind for rule in PERSONAL_RULES)
