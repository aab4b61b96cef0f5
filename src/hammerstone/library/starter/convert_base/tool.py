_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def convert_base(number: str, from_base: int, to_base: int) -> str:
    """A whole number from one number base to another, such as binary, decimal, hexadecimal.

    number: the number as text, in upper or lower case
    from_base: the base it is written in, from 2 to 36
    to_base: the base wanted, from 2 to 36
    Returns the number in the base wanted, in lower case.
    Raises ValueError for a base outside 2 to 36, or digits that the base does not have.
    """
    for base in (from_base, to_base):
        if not 2 <= base <= 36:
            raise ValueError("a base is between 2 and 36")
    value = int(number, from_base)
    sign, value = ("-", -value) if value < 0 else ("", value)
    digits = ""
    while value or not digits:
        value, digit = divmod(value, to_base)
        digits = _DIGITS[digit] + digits
    return sign + digits
