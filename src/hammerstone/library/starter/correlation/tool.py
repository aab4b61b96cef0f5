def correlation(first: list[float], second: list[float]) -> float:
    """Pearson's correlation of two series of numbers, from -1 to 1.

    first: the first series
    second: the second series, as long as the first
    Returns the correlation coefficient.
    Raises ValueError for series of different lengths, with fewer than two numbers, or without
    any variation.
    """
    if len(first) != len(second):
        raise ValueError("the series have different lengths")
    if len(first) < 2:
        raise ValueError("at least two pairs are needed")
    centre_1, centre_2 = sum(first) / len(first), sum(second) / len(second)
    pairs = [(a - centre_1, b - centre_2) for a, b in zip(first, second, strict=True)]
    spread_1 = sum(a * a for a, _ in pairs)
    spread_2 = sum(b * b for _, b in pairs)
    if spread_1 == 0 or spread_2 == 0:
        raise ValueError("a series without variation has no correlation")
    return sum(a * b for a, b in pairs) / (spread_1 * spread_2) ** 0.5
