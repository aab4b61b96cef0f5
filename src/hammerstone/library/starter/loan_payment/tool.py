def loan_payment(principal: float, annual_rate_percent: float, months: int) -> float:
    """The monthly payment of a loan with equal payments (annuity), rounded to cents.

    principal: the amount borrowed
    annual_rate_percent: the interest rate a year in percent
    months: how many monthly payments
    Returns the payment each month.
    Raises ValueError for a negative amount or rate, or fewer than one month.
    """
    if principal < 0 or annual_rate_percent < 0:
        raise ValueError("amount and rate are not negative")
    if months < 1:
        raise ValueError("a loan runs at least one month")
    rate = annual_rate_percent / 100 / 12
    if rate == 0:
        return round(principal / months, 2)
    return round(principal * rate / (1 - (1 + rate) ** -months), 2)
