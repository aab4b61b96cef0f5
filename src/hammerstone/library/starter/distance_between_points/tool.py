import math


def distance_between_points(x1: float, y1: float, x2: float, y2: float) -> float:
    """The straight distance between two points of a plane.

    x1: the first point's x coordinate
    y1: the first point's y coordinate
    x2: the second point's x coordinate
    y2: the second point's y coordinate
    Returns the Euclidean distance.
    """
    return math.hypot(x2 - x1, y2 - y1)
