_FACTORS = {
    "ml": 0.001,
    "cl": 0.01,
    "l": 1.0,
    "m3": 1000.0,
    "us_gallon": 3.785411784,
    "us_cup": 0.2365882365,
    "us_fluid_ounce": 0.0295735295625,
    "uk_pint": 0.56826125,
}


def convert_volume(value: float, from_unit: str, to_unit: str) -> float:
    """Convert a volume from one unit to another: 5 US gallons are 18.93 l.

    value: the volume to convert
    from_unit: its unit: ml, cl, l, m3, us_gallon, us_cup, us_fluid_ounce, uk_pint
    to_unit: the unit wanted, one of the same
    Returns the value in the unit wanted.
    Raises ValueError for an unknown unit.
    """
    for unit in (from_unit, to_unit):
        if unit not in _FACTORS:
            raise ValueError(f"unknown unit {unit!r}; known are {', '.join(_FACTORS)}")
    return value * _FACTORS[from_unit] / _FACTORS[to_unit]
