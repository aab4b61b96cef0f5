"""How long a text is for a model, without asking one."""

_BYTES_A_TOKEN = 4  # of English; other scripts have more bytes a letter and more tokens, too


def tokens_of(text: str) -> int:
    """About how many tokens the text is."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def cut(text: str, tokens: int) -> str:
    """The beginning of the text that has at most so many tokens, cut at a word."""
    text = " ".join(text.split())
    if tokens_of(text) <= tokens:
        return text
    room = max(0, tokens * _BYTES_A_TOKEN - 3)
    kept = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    head, _, _ = kept.rpartition(" ")
    return (head if len(head) > len(kept) // 2 else kept).rstrip(" ,;:") + "…"
