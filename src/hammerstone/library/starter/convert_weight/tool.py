_FACTORS = {
    "mg": 1e-06,
    "g": 0.001,
    "kg": 1.0,
    "tonne": 1000.0,
    "ounce": 0.028349523125,
    "pound": 0.45359237,
    "stone": 6.35029318,
}


def convert_weight(value: float, from_unit: str, to_unit: str) -> float:
    """Convert a weight or mass from one unit to another: 150 pounds are 68.04 kg.

    value: the mass to convert
    from_unit: its unit: mg, g, kg, tonne, ounce, pound, stone
    to_unit: the unit wanted, one of the same
    Returns the value in the unit wanted.
    Raises ValueError for an unknown unit.
    """
    for unit in (from_unit, to_unit):
        if unit not in _FACTORS:
            raise ValueError(f"unknown unit {unit!r}; known are {', '.join(_FACTORS)}")
    return value * _FACTORS[from_unit] / _FACTORS[to_unit]
