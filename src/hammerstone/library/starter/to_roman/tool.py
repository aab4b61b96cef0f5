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


def to_roman(number: int) -> str:
    """A whole number in Roman numerals: 2024 is MMXXIV.

    number: the number, from 1 to 3999
    Returns the Roman numeral.
    Raises ValueError outside 1 to 3999.
    """
    if not 1 <= number <= 3999:
        raise ValueError("Roman numerals go from 1 to 3999")
    text = ""
    for value, letters in _NUMERALS:
        count, number = divmod(number, value)
        text += letters * count
    return text
