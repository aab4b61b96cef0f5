def reverse_text(text: str) -> str:
    """A text spelled backwards.

    text: the text
    Returns its characters in reverse order.
    """
    return text[::-1]
