def truncate_text(text: str, length: int) -> str:
    """A text cut to a length, with an ellipsis when something was left out.

    text: the text
    length: the most characters the result may have, the ellipsis included
    Returns the text itself when it is short enough.
    Raises ValueError for a length under 1.
    """
    if length < 1:
        raise ValueError("the length is at least 1")
    if len(text) <= length:
        return text
    return text[: length - 1].rstrip() + "…"
