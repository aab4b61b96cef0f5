from collections import Counter


def mode_values(numbers: list[float]) -> list[float]:
    """The mode: which numbers occur most often.

    numbers: the numbers
    Returns every number that occurs most often, smallest first; none for no numbers.
    """
    if not numbers:
        return []
    counts = Counter(numbers)
    most = max(counts.values())
    return sorted(number for number, count in counts.items() if count == most)
