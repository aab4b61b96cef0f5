def most_common_words(text: str, count: int = 10) -> list[list]:
    """The words that occur most often in a text, with how often each does.

    text: the text
    count: how many words at most
    Returns pairs of a word in lower case and its number, most frequent first; words that occur
    equally often are in alphabetical order.
    Raises ValueError for a count under 1.
    """
    if count < 1:
        raise ValueError("count is at least 1")
    tally = {}
    word = ""
    for letter in text.lower() + " ":
        if letter.isalnum():
            word += letter
        elif word:
            tally[word] = tally.get(word, 0) + 1
            word = ""
    ranked = sorted(tally.items(), key=lambda pair: (-pair[1], pair[0]))
    return [[name, number] for name, number in ranked[:count]]
