"""Sentences on the screen while they are written, broken between words."""

import sys

from hammerstone.serve.cli.terminal import cells, printable, width_of


class WordStream:
    """Writes pieces of a text to stdout; a word is shown when it is whole."""

    def __init__(self) -> None:
        self.text = ""  # as it came, for whoever compares it with the answer
        self._word = ""
        self._column = 0
        self._gap = ""

    def write(self, piece: str) -> None:
        self.text += piece
        for character in printable(piece):
            if character == "\n":
                self._put_word()
                sys.stdout.write("\n")
                self._column, self._gap = 0, ""
            elif character.isspace():
                self._put_word()
                self._gap += " "
            else:
                self._word += character
        sys.stdout.flush()

    def end(self) -> None:
        """The last word, and an empty line's end where something stands."""
        self._put_word()
        if self._column:
            sys.stdout.write("\n")
        sys.stdout.flush()
        self._column, self._gap = 0, ""

    def _put_word(self) -> None:
        if not self._word:
            return
        room = width_of(sys.stdout) - self._column
        if self._column and cells(self._gap + self._word) >= room:
            sys.stdout.write("\n")
            self._column, self._gap = 0, ""
        sys.stdout.write(self._gap + self._word)
        self._column += cells(self._gap + self._word)
        self._word = self._gap = ""
