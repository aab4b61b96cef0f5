"""Second looks that tell the real thing from its look-alike: checksums, ranges, randomness."""

import ipaddress
import math
from collections import Counter
from itertools import pairwise

# Lengths from the IBAN registry (ISO 13616).
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 "
    "DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 "
    "IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 "
    "MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 "
    "SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
IBAN_LENGTHS = {
    _IBAN_LENGTHS[at : at + 2]: int(_IBAN_LENGTHS[at + 2 : at + 4])
    for at in range(0, len(_IBAN_LENGTHS), 5)
}

# Country calling codes (ITU-T E.164), as ranges of their first digits.
_CALLING_CODES = {
    str(code)
    for first, last in (
        (1, 1), (7, 7), (20, 20), (27, 27), (30, 34), (36, 36), (39, 41), (43, 49), (51, 58),
        (60, 66), (81, 82), (84, 84), (86, 86), (90, 95), (98, 98), (211, 213), (216, 216),
        (218, 218), (220, 269), (290, 291), (297, 299), (350, 359), (370, 383), (385, 387),
        (389, 389), (420, 421), (423, 423), (500, 509), (590, 599), (670, 670), (672, 683),
        (685, 692), (800, 800), (808, 808), (850, 850), (852, 853), (855, 856), (870, 870),
        (878, 878), (880, 883), (886, 886), (888, 888), (960, 968), (970, 977), (979, 979),
        (992, 996), (998, 998),
    )
    for code in range(first, last + 1)
}  # fmt: skip


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of the others."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        digit = ord(char) - 48
        if place % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """A number that an issuer could have given out: its range, its length, its check digit."""
    return len(digits) in _card_lengths(digits) and len(set(digits)) > 1 and luhn(digits)


def _card_lengths(digits: str) -> range | tuple[int, ...]:
    two, three, four = int(digits[:2]), int(digits[:3]), int(digits[:4])
    if digits[0] == "4":
        return (16, 19)  # Visa; its 13-digit numbers are gone, and collide with article numbers
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return (16,)  # Mastercard
    if two in (34, 37):
        return (15,)  # American Express
    if 300 <= three <= 305 or two in (36, 38, 39):
        return (14, 16)  # Diners Club
    if 3528 <= four <= 3589:
        return (16,)  # JCB
    if four == 6011 or 644 <= three <= 659:
        return (16, 19)  # Discover
    if two == 62:
        return (16, 17, 18, 19)  # UnionPay
    if two in (50, 56, 57, 58, 63, 67):
        return (16, 18, 19)  # Maestro
    return ()


def iban_length(compact: str) -> int | None:
    """How many of the leading characters are an IBAN with a right checksum."""
    length = IBAN_LENGTHS.get(compact[:2])
    if length is None or len(compact) < length:
        return None
    moved = compact[4:length] + compact[:4]
    number = "".join(str(int(char, 36)) for char in moved)
    return length if int(number) % 97 == 1 else None


def is_calling_number(digits: str) -> bool:
    """Digits after a plus sign: a known country code and a plausible length."""
    if not 8 <= len(digits) <= 15:
        return False
    if digits[0] == "1":
        return len(digits) == 11 and digits[1] in "23456789" and digits[4] in "23456789"
    return any(digits[:size] in _CALLING_CODES for size in (1, 2, 3))


def is_host_v4(text: str) -> bool:
    """An IPv4 address that names a host: not loopback, not a mask, not unspecified."""
    octets = text.split(".")
    if any(int(octet) > 255 or (len(octet) > 1 and octet[0] == "0") for octet in octets):
        return False
    return octets[0] not in ("0", "127", "255")


def is_host_v6(text: str) -> bool:
    """An IPv6 address written in full or in a range that is in use: not `a::b` in code."""
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    first = int(address) >> 112
    in_use = 0x2000 <= first <= 0x3FFF or 0xFC00 <= first <= 0xFDFF or 0xFE80 <= first <= 0xFEBF
    in_use = in_use or first >= 0xFF00 or (text.count(":") == 7 and "::" not in text)
    return in_use and not (address.is_loopback or address.is_unspecified)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def looks_random(value: str, *, least: int = 16) -> bool:
    """Whether a value was drawn, not written: long, mixed, without the rhythm of words."""
    if len(value) < least or len(value) > 4096:
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    if digits + letters < len(value) * 0.75 or not letters:
        return False
    if digits == 0:
        # Letters only: drawn ones change case without any order, written ones seldom do.
        body = [char for char in value if char.isalpha()]
        changes = sum(a.islower() and b.isupper() for a, b in pairwise(body))
        return changes >= len(body) / 7 and entropy(value) >= 3.5
    if digits < 2 and len(value) < 24:
        return False
    return entropy(value) >= (3.0 if len(value) >= 24 else 2.8)
