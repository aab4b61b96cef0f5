"""Replaces secrets and personal data by marks, in text and in nested JSON."""

from collections.abc import Iterable, Sequence

from hammerstone.core.json_types import Json
from hammerstone.tracing.scrub.checks import is_card, looks_random
from hammerstone.tracing.scrub.names import Hint, hint_of, is_placeholder
from hammerstone.tracing.scrub.personal import PERSONAL_KINDS, PERSONAL_RULES
from hammerstone.tracing.scrub.rules import Rule, ScannedText
from hammerstone.tracing.scrub.secrets import SECRET_KINDS, SECRET_RULES

ALL_KINDS = SECRET_KINDS | PERSONAL_KINDS
_SHORTEST = 6  # nothing shorter is recognised by its shape
_MAX_DEPTH = 200


class Scrubber:
    """Hides what must not be kept, or some kinds of it. Call it with any JSON value, or `text` with
    a string.

    Scrubbing twice changes nothing more. Work is linear in the input's size.
    """

    def __init__(self, kinds: frozenset[str] = ALL_KINDS) -> None:
        self._kinds = kinds
        self._rules: tuple[Rule, ...] = tuple(
            rule for rule in (*SECRET_RULES, *PERSONAL_RULES) if rule.kind in self._kinds
        )

    def __call__(self, value: Json) -> Json:
        """A copy without secrets and personal data; names of fields count as evidence."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, dict | list):
            return value
        # Which rules can apply at all is decided once for all texts in the value: deciding it
        # for each short text would cost more than the scrubbing.
        texts: list[str] = []
        _gather(value, texts, 0)
        return self._value(value, Hint.NONE, self._applicable("\n".join(texts)), 0)

    def text(self, text: str) -> str:
        """The text with each finding replaced by a mark such as `[email]`."""
        return self._clean(text, self._applicable(text)) if len(text) >= _SHORTEST else text

    def _applicable(self, text: str) -> Sequence[Rule]:
        searched = ScannedText(text)
        return [rule for rule in self._rules if rule.may_apply(searched)]

    def _clean(self, text: str, rules: Sequence[Rule]) -> str:
        if len(text) < _SHORTEST:
            return text
        for rule in rules:
            places = rule.places(text)
            if places:
                text = self._replace(text, rule.kind, places)
        return text

    def _replace(self, text: str, kind: str, places: Iterable[tuple[int, int]]) -> str:
        pieces: list[str] = []
        reached = 0
        for start, end in places:
            pieces += text[reached:start], f"[{kind}]"
            reached = end
        pieces.append(text[reached:])
        return "".join(pieces)

    def _value(self, value: Json, hint: Hint, rules: Sequence[Rule], depth: int) -> Json:
        if isinstance(value, str):
            return self._hinted(value, hint, rules) if hint else self._clean(value, rules)
        if isinstance(value, dict):
            if depth > _MAX_DEPTH:
                return "[too deep]"
            # An object under a telling name (a schema of a password) is not the thing itself.
            return {
                self._clean(key, rules): self._value(item, hint_of(key), rules, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list):
            if depth > _MAX_DEPTH:
                return "[too deep]"
            return [self._value(item, hint, rules, depth + 1) for item in value]
        if hint and isinstance(value, int | float) and not isinstance(value, bool):
            return self._hinted_number(value, hint)
        return value

    def _hinted(self, value: str, hint: Hint, rules: Sequence[Rule]) -> str:
        """What a field's name makes of its value; otherwise its shape decides."""
        hidden = self._kinds
        if hint is Hint.PASSWORD and "password" in hidden:
            return value if not value or is_placeholder(value) else "[password]"
        if hint is Hint.CREDENTIAL and "secret" in hidden and not is_placeholder(value):
            clean = self._clean(value, rules)
            return "[secret]" if clean == value and looks_random(value) else clean
        if hint is Hint.PHONE and "phone" in hidden:
            digits = sum(char.isdigit() for char in value)
            if 7 <= digits <= 16 and digits * 2 > len(value):
                return "[phone]"
        return self._clean(value, rules)

    def _hinted_number(self, value: int | float, hint: Hint) -> Json:
        digits = str(value)
        if hint is Hint.PASSWORD and "password" in self._kinds:
            return "[password]"
        if hint is Hint.PHONE and "phone" in self._kinds and len(digits) >= 7:
            return "[phone]"
        if hint is Hint.CARD and "card" in self._kinds and digits.isdigit():
            return "[card]" if is_card(digits) else value
        return value


def _gather(value: Json, texts: list[str], depth: int) -> None:
    """Every text in the value, names of fields included."""
    if isinstance(value, str):
        texts.append(value)
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, dict):
        texts.extend(value)
        for item in value.values():
            _gather(item, texts, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _gather(item, texts, depth + 1)
