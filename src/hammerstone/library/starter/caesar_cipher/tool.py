def caesar_cipher(text: str, shift: int) -> str:
    """A text with every letter moved along the alphabet: a Caesar cipher.

    text: the text
    shift: by how many places letters move; a negative number moves them back
    Returns the text with a to z and A to Z moved, everything else as it was.
    """
    moved = []
    for letter in text:
        if "a" <= letter <= "z":
            moved.append(chr((ord(letter) - ord("a") + shift) % 26 + ord("a")))
        elif "A" <= letter <= "Z":
            moved.append(chr((ord(letter) - ord("A") + shift) % 26 + ord("A")))
        else:
            moved.append(letter)
    return "".join(moved)
