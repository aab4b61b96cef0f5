import re


def extract_numbers(text: str) -> list[float]:
    """The numbers in a text, in the order in which they occur.

    text: the text to look through
    Returns the numbers; 1,234.5 is one number, and a minus counts only before a digit.
    """
    found = re.findall(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?", text)
    return [float(number.replace(",", "")) for number in found]
