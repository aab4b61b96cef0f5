def format_duration(seconds: float) -> str:
    """A number of seconds as days, hours, minutes and seconds: 3661 is "1h 1m 1s".

    seconds: the duration in seconds
    Returns the duration as text; parts that are zero are left out.
    Raises ValueError for a negative duration.
    Fractions of a second are dropped.
    """
    if seconds < 0:
        raise ValueError("a duration is not negative")
    left = int(seconds)
    parts = []
    for size, letter in ((86400, "d"), (3600, "h"), (60, "m"), (1, "s")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{letter}")
    return " ".join(parts) or "0s"
