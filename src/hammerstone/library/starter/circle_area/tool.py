import math


def circle_area(radius: float) -> float:
    """The area of a circle.

    radius: the radius
    Returns the area, pi times the radius squared.
    Raises ValueError for a negative radius.
    """
    if radius < 0:
        raise ValueError("a radius is not negative")
    return math.pi * radius**2
