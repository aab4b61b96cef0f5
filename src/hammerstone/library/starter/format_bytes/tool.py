def format_bytes(size: int) -> str:
    """A number of bytes as people write it: 1536 bytes are "1.5 KiB".

    size: the number of bytes
    Returns the size with the largest binary unit that fits, at most one digit after the point.
    Raises ValueError for a negative size.
    """
    if size < 0:
        raise ValueError("a size is not negative")
    if size < 1024:
        return f"{size} B"
    units = ("KiB", "MiB", "GiB", "TiB")
    value, place = size / 1024, 0
    while value >= 1024 and place < len(units) - 1:
        value, place = value / 1024, place + 1
    return f"{value:.1f}".removesuffix(".0") + f" {units[place]}"
