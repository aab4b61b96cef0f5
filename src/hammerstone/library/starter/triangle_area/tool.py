def triangle_area(side_a: float, side_b: float, side_c: float) -> float:
    """The area of a triangle from the lengths of its three sides (Heron's formula).

    side_a: the first side
    side_b: the second side
    side_c: the third side
    Returns the area.
    Raises ValueError when no triangle has these sides.
    """
    short, middle, long = sorted((side_a, side_b, side_c))
    if short <= 0 or short + middle <= long:
        raise ValueError("no triangle has these sides")
    half = (short + middle + long) / 2
    return (half * (half - short) * (half - middle) * (half - long)) ** 0.5
