def is_palindrome(text: str) -> bool:
    """Whether a text reads the same backwards; case, spaces and punctuation do not count.

    text: the text
    Returns True for a palindrome; a text without letters or digits is one.
    """
    letters = [letter for letter in text.casefold() if letter.isalnum()]
    return letters == letters[::-1]
