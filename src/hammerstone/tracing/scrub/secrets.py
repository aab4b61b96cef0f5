"""Rules for secrets: things that open something."""

import re

from hammerstone.tracing.scrub.checks import looks_random
from hammerstone.tracing.scrub.names import Hint, hint_of, is_placeholder
from hammerstone.tracing.scrub.rules import Gates, Place, Rule

_BEFORE = r"(?<![A-Za-z0-9_\-])"
_AFTER = r"(?![A-Za-z0-9_\-])"


def _key(prefix: str, body: str, *needles: str) -> Rule:
    """A provider's key: a prefix that nothing else has, then a body of a known shape."""
    # A plain prefix comes first and the look-behind after it, so that it can be searched for.
    start = f"{_BEFORE}{prefix}" if needles else f"{prefix}(?<![A-Za-z0-9_\\-]{prefix})"
    pattern = re.compile(f"{start}{body}{_AFTER}")
    return Rule("api-key", pattern, needles or (prefix,), gate=Gates.LONG_WORDS)


def _drawn(prefix: str, least: int) -> Rule:
    """A key whose prefix also begins ordinary names (`sk-circle`), so the body must look drawn."""

    def locate(match: re.Match[str], text: str) -> Place | None:
        return match.span() if looks_random(match[1], least=least) else None

    pattern = re.compile(f"{_BEFORE}{prefix}([A-Za-z0-9_\\-]{{{least},400}}+)")
    return Rule("api-key", pattern, (prefix,), locate, Gates.LONG_WORDS)


# Formats as their providers document them.
_KEYS = (
    _key(r"(?:AKIA|ASIA|ABIA|ACCA)", r"[A-Z2-7]{16}", "AKIA", "ASIA", "ABIA", "ACCA"),
    _key("AIza", r"[\w\-]{35}"),
    _key("GOCSPX-", r"[\w\-]{28}"),
    _key(r"ya29\.", r"[\w\-]{20,2048}+", "ya29."),
    _key(r"gh[pousr]_", r"[A-Za-z0-9]{36,251}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _key("github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    _key(r"gl(?:pat|dt|rt|soat|ptt|ft|imt|agent|cbt|oas)-", r"[\w\-.]{20,300}+",
         "glpat-", "gldt-", "glrt-", "glsoat-", "glptt-", "glft-", "glimt-", "glagent-", "glcbt-",
         "gloas-"),
    _key(r"xox[abeoprs]-", r"[\w\-]{10,250}+", "xox"),
    _key(r"xapp-\d-", r"[\w\-]{10,250}+", "xapp-"),
    _key(r"(?:sk|rk)_(?:live|test)_", r"[A-Za-z0-9]{16,250}+", "_live_", "_test_"),
    _key("whsec_", r"[A-Za-z0-9+/=]{32,100}+"),
    _key("SK", r"[0-9a-f]{32}"),
    _key(r"SG\.", r"[\w\-]{22}\.[\w\-]{43}", "SG."),
    _key("key-", r"[0-9a-f]{32}"),
    _key("npm_", r"[A-Za-z0-9]{36}"),
    _key("pypi-", r"[\w\-]{50,500}+"),
    _key("hf_", r"[A-Za-z0-9]{30,50}+"),
    _key("gsk_", r"[A-Za-z0-9]{40,60}+"),
    _key("r8_", r"[A-Za-z0-9]{37}"),
    _key("pplx-", r"[A-Za-z0-9]{40,60}+"),
    _key("xai-", r"[A-Za-z0-9]{60,100}+"),
    _key("tvly-", r"[\w\-]{20,60}+"),
    _key("nvapi-", r"[\w\-]{50,80}+"),
    _key("pcsk_", r"\w{50,90}+"),
    _key(r"lsv2_(?:pt|sk)_", r"[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_"),
    _key(r"do[opr]_v1_", r"[0-9a-f]{64}", "_v1_"),
    _key(r"shp(?:at|ca|pa|ss)_", r"[0-9a-fA-F]{32}", "shpat_", "shpca_", "shppa_", "shpss_"),
    _key("dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _key("lin_api_", r"[A-Za-z0-9]{32,48}+"),
    _key("ntn_", r"[A-Za-z0-9]{40,60}+"),
    _key("ATATT3", r"[\w\-=]{150,250}+"),
    _key("sbp_", r"[0-9a-f]{40}"),
    _key("sb_secret_", r"[\w\-]{20,60}+"),
    _key(r"hvs\.", r"[\w\-]{24,200}+", "hvs."),
    _key("glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    _key("PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _key("NRAK-", r"[A-Z0-9]{27}"),
    _key("AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    _key("dckr_pat_", r"[\w\-]{27}"),
    _key("figd_", r"[\w\-]{40,60}+"),
    _key("pscale_tkn_", r"[\w\-.]{32,64}+"),
    _key(r"dp\.(?:pt|st|ct|sa)\.", r"[A-Za-z0-9.\-]{40,60}+", "dp.pt.", "dp.st.", "dp.ct.",
         "dp.sa."),
    _key(r"\d{8,10}:AA", r"[\w\-]{33}", ":AA"),
    _key(r"sk-(?:ant|proj|or-v1|svcacct|admin|lf)-", r"[\w\-]{20,400}+", "sk-"),
    _drawn("sk-", 20),
    _drawn("pk-lf-", 20),
    _drawn("csk-", 20),
    _drawn("secret_", 32),
)  # fmt: skip


def _group_1(match: re.Match[str], text: str) -> Place | None:
    return match.span(1)


_WEBHOOK = Rule(
    "api-key",
    re.compile(
        r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)"
        r"/([\w\-/]{20,200}+)"
    ),
    ("hooks.slack.com/", "/api/webhooks/"),
    _group_1,
    Gates.LONG_WORDS,
)

_JWT = Rule(
    "jwt",
    re.compile(
        r"eyJ(?<![\w\-]eyJ)[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+){1,3}"
    ),
    ("eyJ",),
    gate=Gates.LONG_WORDS,
)


def _pem_place(match: re.Match[str], text: str) -> Place:
    """To the end marker; a key that is cut off is hidden to the end of the text."""
    start = match.start()
    end = text.find("-----END", match.end())
    if end < 0:
        return start, len(text)
    closing = text.find("-----", end + 8)
    return start, len(text) if closing < 0 else closing + 5


_PEM = Rule(
    "private-key",
    re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    ("PRIVATE KEY",),
    _pem_place,
)


def _password_place(match: re.Match[str], text: str) -> Place | None:
    return None if is_placeholder(match[1]) else match.span(1)


_URL_PASSWORD = Rule(
    "password",
    re.compile(
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{1,30}+://"
        r"[^\s/?#@:\"'<>]{0,64}+:([^\s/?\"'<>]{1,200})@"
    ),
    ("://",),
    _password_place,
)


def _authorization_place(match: re.Match[str], text: str) -> Place | None:
    place = match.span("value")
    value = text[place[0] : place[1]]
    if is_placeholder(value):
        return None
    return place if match["name"] is not None or looks_random(value) else None


# The scheme's name stays, so that a trace still says how a call authenticated.
_AUTHORIZATION = Rule(
    "authorization",
    re.compile(
        r"(?<![a-z0-9])(?:(?P<name>authorization)\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?"
        r"(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?|(?:bearer|basic)\s{1,3})"
        r"(?P<value>[a-z0-9._~+/=\-]{8,4096}+)"
    ),
    ("authorization", "bearer ", "basic "),
    _authorization_place,
    gate=Gates.LOWERED,
)

# The last word of a name that may promise a secret; `hint_of` then reads the whole name.
_ENDINGS = (
    r"pass(?:word|wd|wort|phrase|code)?|pwd|secret|token|key(?:[_-]?id)?|auth|credentials?|cookie|"
    r"signature|sig|salt|nonce|otp|mnemonic|bearer|session[_-]?id|cv[vc]2?"
)
_VARIABLES = frozenset(
    {"user", "username", "value", "data", "cookie", "token", "pwd", "passwd", "credentials", "self"}
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,60}\Z")


def _assigned_place(match: re.Match[str], text: str) -> Place | None:
    """The value, by what its name promises."""
    name = _NAME.search(text, max(0, match.start() - 50), match.end("ending"))
    hint = hint_of(name[0]) if name is not None else Hint.NONE
    if hint not in (Hint.PASSWORD, Hint.CREDENTIAL):
        return None
    group = match.lastgroup or "bare"
    start, end = match.span(group)
    value = text[start:end]
    kept = value.rstrip("\\") if group != "bare" else value.rstrip("\\.,:;)]}")
    end -= len(value) - len(kept)
    if not kept or is_placeholder(kept):
        return None
    if group == "bare" and (_is_code(kept, text[end : end + 3]) or _is_prose(kept, text, end)):
        return None
    if group != "bare" and kept[0] in " ,)":
        return None  # the quote closed a text that ends like a name: input("Password: ")
    if hint is Hint.CREDENTIAL:
        return (start, end) if looks_random(kept) else None
    return (start, end) if group != "bare" or len(kept) >= 4 else None


def _is_code(value: str, after: str) -> bool:
    """`self.password`, `get_token()`, `user, password`: something that yields a value later."""
    if (
        value in _VARIABLES
        or after[:1] in ("(", "[", "{")
        or after.lstrip()[:1] == "="
        or any(char in value for char in "([{")
    ):
        return True
    identifiers = all(part.isidentifier() for part in value.split("."))
    return identifiers and ("." in value or (value.islower() and "_" in value))


def _is_prose(value: str, text: str, end: int) -> bool:
    """`Password: must be changed`: a word that is followed by further words."""
    return value.isalpha() and re.match(r" [a-z]{2,}", text[end : end + 4]) is not None


_ASSIGNED = Rule(
    "secret",
    re.compile(
        rf"(?P<ending>(?:{_ENDINGS})\d{{0,2}})\\?[\"']?\]?\s{{0,3}}(?:=>|:=|[:=])\s{{0,3}}\\?"
        r"(?:\"(?P<double>[^\"\n]{1,4096}+)|'(?P<single>[^'\n]{1,4096}+)"
        r"|(?P<bare>[^\s\"',;&|<>]{3,4096}+))"
    ),
    ("pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "sig", "salt", "nonce",
     "otp", "mnemonic", "bearer", "session", "cvv", "cvc"),
    _assigned_place,
    gate=Gates.LOWERED,
)  # fmt: skip


def _option_place(match: re.Match[str], text: str) -> Place | None:
    """The word after `--db-password`, by what the option's name promises."""
    place = match.span("value")
    value = text[place[0] : place[1]]
    hint = hint_of(match["name"])
    if is_placeholder(value) or value[0] in "-$<{":
        return None
    hidden = hint is Hint.PASSWORD or (hint is Hint.CREDENTIAL and looks_random(value))
    return place if hidden else None


_OPTION = Rule(
    "secret",
    re.compile(r"--(?P<name>[a-z][a-z0-9\-]{1,40}+)\s{1,3}[\"']?(?P<value>[^\s\"']{4,4096}+)"),
    ("--",),
    _option_place,
    Gates.LOWERED,
)


def _user_place(match: re.Match[str], text: str) -> Place | None:
    return None if match[1].isdigit() else match.span(1)


_USER_OPTION = Rule(
    "password",
    re.compile(r"-u\s{1,3}[\"']?[A-Za-z0-9_.@\-]{1,64}+:([^\s\"'$<{]{1,200}+)"),
    ("-u ",),
    _user_place,
)

SECRET_RULES: tuple[Rule, ...] = (
    _PEM,
    _URL_PASSWORD,
    _JWT,
    *_KEYS,
    _WEBHOOK,
    _AUTHORIZATION,
    _ASSIGNED,
    _OPTION,
    _USER_OPTION,
)
SECRET_KINDS = frozenset(rule.kind for rule in SECRET_RULES)
