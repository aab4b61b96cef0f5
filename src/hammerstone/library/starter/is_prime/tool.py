def is_prime(number: int) -> bool:
    """Whether a whole number is a prime.

    number: the number
    Returns True for a prime; numbers under 2 are none.
    Raises ValueError above 10 to the power of 14, which would take too long.
    """
    if number > 10**14:
        raise ValueError("the number is too large")
    if number < 4:
        return number in (2, 3)
    if number % 2 == 0 or number % 3 == 0:
        return False
    divisor = 5
    while divisor * divisor <= number:
        if number % divisor == 0 or number % (divisor + 2) == 0:
            return False
        divisor += 6
    return True
