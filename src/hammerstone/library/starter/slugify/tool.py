import re
import unicodedata


def slugify(text: str) -> str:
    """A text as a slug for web addresses: lower case words with hyphens between them.

    text: the text, such as a title
    Returns letters a to z, digits and single hyphens; accents are taken off.
    """
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    ascii_only = plain.encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
