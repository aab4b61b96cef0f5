import re


def count_words(text: str) -> int:
    """How many words a text has.

    text: the text
    Returns the number of words; "don't" and "well-known" are one word each.
    """
    return len(re.findall(r"\w+(?:['’-]\w+)*", text))
