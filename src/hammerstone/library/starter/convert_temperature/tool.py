def convert_temperature(value: float, from_unit: str, to_unit: str) -> float:
    """Convert a temperature between celsius, fahrenheit and kelvin.

    value: the temperature
    from_unit: its unit: celsius, fahrenheit or kelvin
    to_unit: the unit wanted, one of the same
    Returns the temperature in the unit wanted, rounded to six digits.
    Raises ValueError for an unknown unit, or a temperature under absolute zero.
    """
    if from_unit == "celsius":
        celsius = value
    elif from_unit == "fahrenheit":
        celsius = (value - 32) * 5 / 9
    elif from_unit == "kelvin":
        celsius = value - 273.15
    else:
        raise ValueError(f"unknown unit {from_unit!r}; known are celsius, fahrenheit, kelvin")
    if round(celsius, 6) < -273.15:
        raise ValueError("nothing is colder than absolute zero")
    if to_unit == "celsius":
        return round(celsius, 6)
    if to_unit == "fahrenheit":
        return round(celsius * 9 / 5 + 32, 6)
    if to_unit == "kelvin":
        return round(celsius + 273.15, 6)
    raise ValueError(f"unknown unit {to_unit!r}; known are celsius, fahrenheit, kelvin")
