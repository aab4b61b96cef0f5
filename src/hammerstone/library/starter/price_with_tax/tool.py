def price_with_tax(price: float, tax_percent: float) -> float:
    """A net price with sales tax or VAT on top, rounded to cents.

    price: the net price, without tax
    tax_percent: the tax rate in percent
    Returns the gross price.
    Raises ValueError for a negative price or rate.
    """
    if price < 0:
        raise ValueError("a price is not negative")
    if tax_percent < 0:
        raise ValueError("a tax rate is not negative")
    return round(price * (100 + tax_percent) / 100, 2)
