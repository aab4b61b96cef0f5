_FACTORS = {
    "mm": 0.001,
    "cm": 0.01,
    "m": 1.0,
    "km": 1000.0,
    "inch": 0.0254,
    "foot": 0.3048,
    "yard": 0.9144,
    "mile": 1609.344,
}


def convert_length(value: float, from_unit: str, to_unit: str) -> float:
    """Convert a length or distance from one unit to another: 26.2 miles are 42.16 km.

    value: the distance to convert
    from_unit: its unit: mm, cm, m, km, inch, foot, yard, mile
    to_unit: the unit wanted, one of the same
    Returns the value in the unit wanted.
    Raises ValueError for an unknown unit.
    """
    for unit in (from_unit, to_unit):
        if unit not in _FACTORS:
            raise ValueError(f"unknown unit {unit!r}; known are {', '.join(_FACTORS)}")
    return value * _FACTORS[from_unit] / _FACTORS[to_unit]
