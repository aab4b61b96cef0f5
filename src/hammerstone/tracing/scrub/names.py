"""What a name beside a value says about it: `password`, `apiKey`, `X-Auth-Token`, `mobile`."""

import re
from enum import StrEnum
from functools import lru_cache


class Hint(StrEnum):
    """What to think of a value because of its name."""

    PASSWORD = "password"  # hide whatever it is  # noqa: S105
    CREDENTIAL = "credential"  # hide it when it looks drawn rather than written
    PHONE = "phone"
    CARD = "card"
    NONE = ""


# Compared with the end of the name, in lower case and without separators.
_ALWAYS = (
    "password", "passwd", "passphrase", "passwort", "passcode", "userpwd", "pwd", "dbpass",
    "secretkey", "secretaccesskey", "clientsecret", "appsecret", "apisecret", "sharedsecret",
    "jwtsecret", "webhooksecret", "authorization", "proxyauthorization", "cookie", "setcookie",
    "privatekey", "accountkey", "sharedaccesskey", "mnemonic", "seedphrase", "cvv", "cvc", "cvv2",
)  # fmt: skip
_WHEN_DRAWN = (
    "apikey", "token", "secret", "accesskey", "accesskeyid", "authkey", "signingkey",
    "encryptionkey", "servicekey", "masterkey", "licensekey", "subscriptionkey", "credential",
    "credentials", "auth", "apitoken", "bearer", "sessionid", "sessionkey", "signature", "sig",
    "nonce", "salt", "otp", "appkey", "deploykey", "storagekey", "functionkey", "hostkey",
)  # fmt: skip
_NOT_SECRET = (
    "pagetoken", "nexttoken", "continuationtoken", "padtoken", "eostoken", "bostoken", "unktoken",
    "masktoken", "stoptoken", "synctoken", "publickey",
)  # fmt: skip
_PHONES = ("phone", "phonenumber", "mobile", "mobilenumber", "telephone", "telefon", "fax",
           "faxnumber", "cellphone", "msisdn", "whatsapp", "tel", "handynummer")  # fmt: skip
_CARDS = ("cardnumber", "creditcard", "ccnumber", "cardno", "pan", "debitcard")
_SEPARATORS = re.compile(r"[\s_.\-]+")
_SHORT = ("pwd", "pan", "tel", "sig", "otp", "cvv", "cvc", "auth", "salt", "nonce", "fax")


@lru_cache(maxsize=4096)
def hint_of(name: str) -> Hint:
    """What the name of a field or variable says about its value."""
    if len(name) > 100:
        return Hint.NONE
    plain = _SEPARATORS.sub("", name).lower()
    if plain.endswith(_NOT_SECRET):
        return Hint.NONE
    for endings, hint in (
        (_ALWAYS, Hint.PASSWORD),
        (_WHEN_DRAWN, Hint.CREDENTIAL),
        (_PHONES, Hint.PHONE),
        (_CARDS, Hint.CARD),
    ):
        for ending in endings:
            if plain.endswith(ending) and _is_own_word(name, plain, ending):
                return hint
    return Hint.NONE


def _is_own_word(name: str, plain: str, ending: str) -> bool:
    """Short endings also end ordinary words (Japan, hotel): they must be words of their own."""
    if ending not in _SHORT or len(plain) == len(ending):
        return True
    before = name[: len(name) - len(ending)]
    return before[-1:] in "_-. " or (name[-len(ending)].isupper() and before[-1:].islower())


_PLACEHOLDER = re.compile(
    r"""(?ix) \[[\w:-]+\] | <[^>]*> | \$\{?[\w.]+\}? | \{\{?[^}]*\}?\} | %\(?\w+\)?s? |
    [*xX•.\-_?]{2,} | none | null | nil | true | false | undefined | str | string | bytes | int |
    required | optional | secret | secretstr | password | (?:your|my|the)[-_ ]?[\w-]* |
    redacted | hidden | example | changeme | todo | empty | invalid | wrong | missing | incorrect
    """
)


def is_placeholder(value: str) -> bool:
    """Whether the value stands for one: `None`, `<token>`, `${KEY}`, `****`, one of our marks."""
    return _PLACEHOLDER.fullmatch(value) is not None
