_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_NUMERALS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def from_roman(numeral: str) -> int:
    """The number that a Roman numeral stands for: MMXXIV is 2024.

    numeral: the Roman numeral, in upper or lower case
    Returns the number.
    Raises ValueError for what is not a Roman numeral as it is written, such as IIII.
    """
    text = numeral.strip().upper()
    if not text or any(letter not in _VALUES for letter in text):
        raise ValueError(f"{numeral!r} is not a Roman numeral")
    total = 0
    for letter, following in zip(text, text[1:] + "I", strict=True):
        value = _VALUES[letter]
        total += -value if value < _VALUES[following] else value
    written, left = "", total
    for value, letters in _NUMERALS:
        count, left = divmod(left, value)
        written += letters * count
    if written != text or total > 3999:
        raise ValueError(f"{numeral!r} is not a Roman numeral")
    return total
