def mean(numbers: list[float]) -> float:
    """The arithmetic mean, the average of numbers.

    numbers: the numbers
    Returns their sum divided by how many they are.
    Raises ValueError when there are none.
    """
    if not numbers:
        raise ValueError("there is no mean of no numbers")
    return sum(numbers) / len(numbers)
