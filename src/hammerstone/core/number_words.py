"""Small numbers as people write them in words."""

NUMBER_WORDS = (  # each at the place of its number
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
