def prime_factors(number: int) -> list[int]:
    """The prime factors of a whole number: 60 is 2 * 2 * 3 * 5.

    number: the number, at least 1
    Returns the factors in ascending order, repeated as often as they divide; none for 1.
    Raises ValueError under 1, or above 10 to the power of 12, which would take too long.
    """
    if number < 1 or number > 10**12:
        raise ValueError("the number is between 1 and 10 to the power of 12")
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    if number > 1:
        factors.append(number)
    return factors
