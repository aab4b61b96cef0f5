def compound_interest(
    principal: float, annual_rate_percent: float, years: float, periods_per_year: int = 1
) -> float:
    """What an amount grows to with compound interest, rounded to cents.

    principal: the amount at the start
    annual_rate_percent: the interest rate a year in percent
    years: how many years
    periods_per_year: how often interest is added each year, 12 for monthly
    Returns the amount at the end.
    Raises ValueError for negative years or fewer than one period a year.
    """
    if years < 0:
        raise ValueError("years are not negative")
    if periods_per_year < 1:
        raise ValueError("interest is added at least once a year")
    growth = 1 + annual_rate_percent / 100 / periods_per_year
    return round(principal * growth ** (periods_per_year * years), 2)
