def count_occurrences(text: str, part: str) -> int:
    """How often a letter, word or other piece of text occurs in a text.

    text: the text to look in
    part: what to count; upper and lower case differ
    Returns the number of occurrences that do not overlap.
    Raises ValueError when there is nothing to count.
    """
    if not part:
        raise ValueError("an empty text cannot be counted")
    return text.count(part)
