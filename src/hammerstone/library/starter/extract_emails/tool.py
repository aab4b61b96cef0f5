import re

_EMAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")


def extract_emails(text: str) -> list[str]:
    """The email addresses in a text, each once, in the order in which they occur.

    text: the text to look through
    Returns the addresses in lower case.
    """
    found = [address.lower() for address in _EMAIL.findall(text)]
    return list(dict.fromkeys(found))
