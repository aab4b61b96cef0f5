def discounted_price(price: float, percent_off: float) -> float:
    """The price after a discount in percent, rounded to cents.

    price: the price before the discount
    percent_off: the discount in percent, from 0 to 100
    Returns the price to pay.
    Raises ValueError for a negative price or a discount outside 0 to 100.
    """
    if price < 0:
        raise ValueError("a price is not negative")
    if not 0 <= percent_off <= 100:
        raise ValueError("a discount is between 0 and 100 percent")
    return round(price * (100 - percent_off) / 100, 2)
