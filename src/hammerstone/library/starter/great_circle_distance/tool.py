import math


def great_circle_distance(
    latitude_1: float, longitude_1: float, latitude_2: float, longitude_2: float
) -> float:
    """The distance in kilometres between two places on Earth, from latitude and longitude.

    latitude_1: the first place's latitude in degrees
    longitude_1: the first place's longitude in degrees
    latitude_2: the second place's latitude in degrees
    longitude_2: the second place's longitude in degrees
    Returns the distance along the surface in km, rounded to metres.
    Raises ValueError for a latitude outside -90 to 90 or a longitude outside -180 to 180.
    """
    for latitude, longitude in ((latitude_1, longitude_1), (latitude_2, longitude_2)):
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise ValueError("latitude is within 90 degrees, longitude within 180")
    south, north = math.radians(latitude_1), math.radians(latitude_2)
    height = math.sin((north - south) / 2) ** 2
    width = math.sin(math.radians(longitude_2 - longitude_1) / 2) ** 2
    chord = height + math.cos(south) * math.cos(north) * width
    return round(2 * 6371.0088 * math.asin(min(1.0, math.sqrt(chord))), 3)
