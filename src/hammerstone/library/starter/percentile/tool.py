def percentile(numbers: list[float], percent: float) -> float:
    """The percentile of numbers: the value below which a share of them lies.

    numbers: the numbers
    percent: which percentile, from 0 to 100; 50 is the median
    Returns the value, interpolated linearly between the two nearest numbers.
    Raises ValueError when there are no numbers, or for a percent outside 0 to 100.
    """
    if not numbers:
        raise ValueError("there is no percentile of no numbers")
    if not 0 <= percent <= 100:
        raise ValueError("percent is between 0 and 100")
    ordered = sorted(numbers)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
