"""Texts with secrets and personal data, and texts that only look like it, made by rule.

Formats are those that providers and standards document; check digits are computed. Nothing
here is real. The set has two halves that share no format variant, no surrounding text and no
random draw: rules are developed on `dev`, and `held_out` is only reported.
"""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Half = Literal["dev", "held_out"]
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "-_"


@dataclass(frozen=True)
class Sample:
    """`hidden` must not survive scrubbing; without it the text must come out unchanged."""

    kind: str
    text: str
    hidden: str | None = None
    as_json: bool = False


Draw = random.Random
Make = Callable[[Draw], str]


def chars(alphabet: str, size: int) -> Make:
    return lambda draw: "".join(draw.choices(alphabet, k=size))


def key(prefix: str, alphabet: str, size: int) -> Make:
    return lambda draw: prefix + "".join(draw.choices(alphabet, k=size))


CONTEXTS: dict[Half, tuple[str, ...]] = {
    "dev": (
        "Please use {} for the test.",
        "error: request with {} failed after 3 tries",
        '{{"note": "see {}"}}',
        "- {}\n- and something else",
        "value={}",
        "({})",
    ),
    "held_out": (
        "I was told that {}, of all things, is right",
        "2030-05-01T10:00:00Z WARN retry 2: {}",
        "name;value;comment\nrow;{};ok",
        "<td>{}</td>",
        "what does '{}' mean?",
        "{}",
    ),
}

API_KEYS: dict[Half, tuple[Make, ...]] = {
    "dev": (
        key("sk-", ALNUM, 48),
        key("sk-proj-", URL64, 120),
        key("AKIA", string.ascii_uppercase + "234567", 16),
        key("ghp_", ALNUM, 36),
        key("xoxb-", string.digits, 12),
        key("sk_live_", ALNUM, 24),
        key("AIza", URL64, 35),
        key("hf_", string.ascii_letters, 34),
        key("npm_", ALNUM, 36),
        key("glpat-", URL64, 20),
        lambda d: f"SG.{chars(URL64, 22)(d)}.{chars(URL64, 43)(d)}",
        key("dapi", HEX, 32),
    ),
    "held_out": (
        lambda d: f"sk-ant-api03-{chars(URL64, 93)(d)}AA",
        key("sk-or-v1-", HEX, 64),
        key("ASIA", string.ascii_uppercase + "234567", 16),
        lambda d: f"github_pat_{chars(ALNUM, 22)(d)}_{chars(ALNUM, 59)(d)}",
        key("gho_", ALNUM, 36),
        lambda d: f"xapp-1-A{chars(string.digits, 10)(d)}-{chars(HEX, 64)(d)}",
        key("rk_live_", ALNUM, 24),
        key("GOCSPX-", URL64, 28),
        key("gsk_", ALNUM, 52),
        key("r8_", ALNUM, 37),
        key("pplx-", ALNUM, 48),
        key("dop_v1_", HEX, 64),
        key("shpat_", HEX, 32),
        key("key-", HEX, 32),
        key("SK", HEX, 32),
        lambda d: f"{chars(string.digits, 9)(d)}:AA{chars(URL64, 33)(d)}",
        lambda d: (
            "https://hooks.slack.com/services/T"
            f"{chars(string.ascii_uppercase, 8)(d)}/B{chars(string.ascii_uppercase, 8)(d)}"
            f"/{chars(ALNUM, 24)(d)}"
        ),
        key("sk-", HEX, 32),
        key("dckr_pat_", URL64, 27),
        key("sbp_", HEX, 40),
    ),
}


def jwt(header: dict[str, str]) -> Make:
    def make(draw: Draw) -> str:
        claims = {"sub": str(draw.randrange(10**9)), "exp": draw.randrange(10**9)}
        parts = [
            base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode())
            .rstrip(b"=")
            .decode()
            for part in (header, claims)
        ]
        return ".".join([*parts, chars(URL64, draw.choice((43, 86, 342)))(draw)])

    return make


def pem(label: str, lines: int) -> Make:
    def make(draw: Draw) -> str:
        body = "\n".join(chars(ALNUM + "+/", 64)(draw) for _ in range(lines))
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    return make


def luhn_digit(digits: str) -> str:
    total = 0
    for place, char in enumerate(reversed(digits)):
        digit = int(char) * (2 if place % 2 == 0 else 1)
        total += digit - 9 if digit > 9 else digit
    return str(-total % 10)


def card(prefix: str, size: int, groups: tuple[int, ...] = (), separator: str = "") -> Make:
    def make(draw: Draw) -> str:
        body = prefix + chars(string.digits, size - 1 - len(prefix))(draw)
        number = body + luhn_digit(body)
        return split(number, groups, separator) if groups else number

    return make


def split(text: str, groups: tuple[int, ...], separator: str) -> str:
    pieces, at = [], 0
    for size in groups:
        pieces.append(text[at : at + size])
        at += size
    return separator.join(piece for piece in [*pieces, text[at:]] if piece)


def iban(country: str, bban: str, separator: str = "") -> Make:
    """`bban` as in the registry: n a digit, a a capital letter, c either."""

    def make(draw: Draw) -> str:
        body = "".join(
            draw.choice(
                {"n": string.digits, "a": string.ascii_uppercase}.get(
                    c, string.digits + string.ascii_uppercase
                )
            )
            for c in bban
        )
        moved = "".join(str(int(c, 36)) for c in body + country + "00")
        whole = f"{country}{98 - int(moved) % 97:02d}{body}"
        return separator.join(whole[i : i + 4] for i in range(0, len(whole), 4))

    return make


def v4(draw: Draw) -> str:
    first = draw.choice((10, 172, 192, 203, 34, 8, 91, 141))
    return f"{first}.{draw.randrange(256)}.{draw.randrange(256)}.{draw.randrange(1, 255)}"


def v6(prefix: str, groups: int, gap: bool) -> Make:
    def make(draw: Draw) -> str:
        rest = [f"{draw.randrange(1, 65536):x}" for _ in range(groups)]
        return prefix + (":" if gap else "") + ":" + ":".join(rest)

    return make


def mac(separator: str) -> Make:
    return lambda d: separator.join(f"{d.randrange(256):02x}" for _ in range(6))


NAMES = ("ada", "grace.hopper", "jean_bartik", "k.thompson+lists", "o'neil", "x", "info-2030")
PERSONAL: dict[str, dict[Half, tuple[Make, ...]]] = {
    "email": {
        "dev": (
            lambda d: f"{d.choice(NAMES)}@example.com",
            lambda d: f"{d.choice(NAMES)}{d.randrange(99)}@mail.example.co.uk",
            lambda d: f"{d.choice(NAMES)}@example.museum",
        ),
        "held_out": (
            lambda d: f"{d.choice(NAMES).upper()}@EXAMPLE.ORG",
            lambda d: f"{d.choice(NAMES)}@sub-domain.example.travel",
            lambda d: f"jürgen.groß{d.randrange(99)}@bücher.example",
            lambda d: f"{d.choice(NAMES[:4])}%40example.net",
            lambda d: f"{d.randrange(10**6)}@qq.example",
            lambda d: f"{d.choice(NAMES)}@xn--bcher-kva.example",
        ),
    },
    "card": {
        "dev": (
            card("4", 16),
            card("51", 16, (4, 4, 4, 4), " "),
            card("34", 15),
            card("6011", 16, (4, 4, 4, 4), "-"),
        ),
        "held_out": (
            card("2221", 16),
            card("37", 15, (4, 6, 5), " "),
            card("3528", 16),
            card("36", 14, (4, 6, 4), " "),
            card("62", 19),
            card("4", 16, (4, 4, 4, 4), "-"),
            card("65", 16, (4, 4, 4, 4), " "),
        ),
    },
    "iban": {
        "dev": (
            iban("DE", "n" * 18),
            iban("GB", "aaaa" + "n" * 14, " "),
            iban("FR", "n" * 10 + "c" * 11 + "nn"),
            iban("NL", "aaaa" + "n" * 10),
        ),
        "held_out": (
            iban("ES", "n" * 20, " "),
            iban("IT", "a" + "n" * 10 + "c" * 12),
            iban("NO", "n" * 11, " "),
            iban("CH", "n" * 5 + "c" * 12, " "),
            iban("MT", "aaaa" + "n" * 5 + "c" * 18),
            iban("BE", "n" * 12, "-"),
            lambda d: iban("AT", "n" * 16)(d).lower(),
        ),
    },
    "phone": {
        "dev": (
            lambda d: f"+1{d.randrange(201, 990)}{d.randrange(200, 999)}{d.randrange(10**4):04d}",
            lambda d: f"({d.randrange(201, 990)}) {d.randrange(200, 999)}-{d.randrange(10**4):04d}",
            lambda d: f"+49 30 {d.randrange(10**5, 10**7)}",
            lambda d: f"+44 20 7946 {d.randrange(10**4):04d}",
        ),
        "held_out": (
            lambda d: f"{d.randrange(201, 990)}.{d.randrange(200, 999)}.{d.randrange(10**4):04d}",
            lambda d: f"1-{d.randrange(201, 990)}-{d.randrange(200, 999)}-{d.randrange(10**4):04d}",
            lambda d: f"+33 6 {' '.join(f'{d.randrange(100):02d}' for _ in range(4))}",
            lambda d: f"+44 (0)20 7946 {d.randrange(10**4):04d}",
            lambda d: f"+91-{d.randrange(70000, 99999)}-{d.randrange(10**5):05d}",
            lambda d: f"0049 89 {d.randrange(10**6, 10**7)}",
            lambda d: f"+81 3-{d.randrange(1000, 9999)}-{d.randrange(10**4):04d}",
            lambda d: f"+55 (11) 9{d.randrange(1000, 9999)}-{d.randrange(10**4):04d}",
            lambda d: f"+86 138 {d.randrange(10**4):04d} {d.randrange(10**4):04d}",
            lambda d: f"tel: 030/{d.randrange(10**6, 10**7)}",
        ),
    },
    "ip": {
        "dev": (v4, v6("2001:db8", 2, True), v6("fe80", 4, True)),
        "held_out": (
            lambda d: f"{v4(d)}:{d.randrange(1024, 65535)}",
            lambda d: f"{v4(d)}/24",
            v6("2a02:8071:1234", 5, False),
            v6("fd12:3456:789a", 1, True),
            v6("2606:4700", 3, True),
        ),
    },
    "host": {
        "dev": (lambda d: f"db{d.randrange(1, 99):02d}.prod.internal",),
        "held_out": (
            lambda d: f"ip-10-{d.randrange(256)}-{d.randrange(256)}-7.ec2.internal",
            lambda d: f"wiki{d.randrange(9)}.corp",
            lambda d: f"print-{d.randrange(99)}.office.lan",
        ),
    },
    "mac": {"dev": (mac(":"),), "held_out": (mac("-"), lambda d: mac(":")(d).upper())},
}
JWTS: dict[Half, tuple[Make, ...]] = {
    "dev": (jwt({"alg": "HS256", "typ": "JWT"}),),
    "held_out": (jwt({"typ": "JWT", "alg": "RS256", "kid": "k1"}), jwt({"alg": "EdDSA"})),
}
PEMS: dict[Half, tuple[Make, ...]] = {
    "dev": (pem("RSA PRIVATE KEY", 12), pem("PRIVATE KEY", 4)),
    "held_out": (
        pem("EC PRIVATE KEY", 3),
        pem("OPENSSH PRIVATE KEY", 6),
        pem("ENCRYPTED PRIVATE KEY", 10),
        pem("PGP PRIVATE KEY BLOCK", 8),
    ),
}
# (text with {} for the value, how the value is drawn)
Named = tuple[str, Make]
WORDS = ("tulip", "Harbor", "orbit", "Maple", "quartz", "Lemon")


def chosen_password(draw: Draw) -> str:
    """What people choose: a word or two, some digits, a special character."""
    word = "".join(draw.sample(WORDS, draw.choice((1, 2))))
    return f"{word}{draw.randrange(10, 9999)}{draw.choice('!$#*')}"


BESIDE: dict[str, dict[Half, tuple[Named, ...]]] = {
    "password": {
        "dev": (
            ("postgresql://app:{}@db.example.com:5432/main", chars(ALNUM, 14)),
            ("redis://:{}@cache:6379/0", chars(ALNUM, 20)),
            ("mongodb+srv://svc:{}@cluster0.example.net/x", chosen_password),
        ),
        "held_out": (
            ("mysql+pymysql://root:{}@127.0.0.1/shop?charset=utf8", chars(ALNUM, 10)),
            ("amqps://guest:{}@mq.example.org/vhost", chars(ALNUM + "%", 12)),
            ("see https://ada:{}@git.example.com/team/repo.git please", chars(ALNUM, 9)),
            ("ftp://user:{}@files.example.com/in", lambda d: chars(ALNUM, 5)(d) + "@" + "x9"),
        ),
    },
    "authorization": {
        "dev": (
            ("Authorization: Bearer {}", chars(URL64, 40)),
            ("Authorization: Basic {}", chars(ALNUM, 24)),
        ),
        "held_out": (
            ("curl -H 'authorization: bearer {}' https://api.example.com", chars(URL64, 32)),
            ("sent header Bearer {} to the server", chars(ALNUM, 36)),
            ("Proxy-Authorization: Basic {}==", chars(ALNUM, 22)),
            ('"Authorization": "Token {}"', chars(HEX, 40)),
        ),
    },
    "secret": {
        "dev": (
            ('api_key = "{}"', chars(ALNUM, 32)),
            ("DB_PASSWORD={}", chosen_password),
            ('"client_secret": "{}"', chars(URL64, 36)),
            ("AccountName=x;AccountKey={}==;EndpointSuffix=y", chars(ALNUM + "+/", 86)),
        ),
        "held_out": (
            ("export AWS_SECRET_ACCESS_KEY={}", chars(ALNUM + "+/", 40)),
            ("const apiToken = '{}';", chars(ALNUM, 40)),
            ("password: {}", chosen_password),
            ('{{\\"password\\": \\"{}\\"}}', chosen_password),
            ("https://api.example.com/v1?access_token={}&page=2", chars(ALNUM, 40)),
            ("X-Api-Key: {}", chars(HEX, 32)),
            ("Server=db;User Id=sa;Password={};Encrypt=true", chosen_password),
            ("twilio auth_token => {}", chars(HEX, 32)),
            ("session_id: {}", chars(HEX, 40)),
            ("my passphrase is set: passphrase='{}'", lambda d: " ".join(d.sample(WORDS, 4))),
        ),
    },
}
# Names of JSON fields that speak for their value.
FIELDS: dict[Half, tuple[tuple[str, str, Make], ...]] = {
    "dev": (
        ("password", "password", chosen_password),
        ("secret", "apiKey", chars(ALNUM, 32)),
        ("phone", "phone", lambda d: f"0{d.randrange(10**8, 10**10)}"),
    ),
    "held_out": (
        ("password", "dbPassword", chars(string.ascii_lowercase, 6)),
        ("password", "Set-Cookie", lambda d: f"sid={chars(HEX, 16)(d)}; Path=/"),
        ("secret", "access_token", chars(URL64, 24)),
        ("secret", "x-auth-token", chars(HEX, 32)),
        ("phone", "mobile_number", lambda d: f"0{d.randrange(100, 999)} {d.randrange(10**6)}99"),
        ("phone", "fax", lambda d: f"({d.randrange(10, 99)}) {d.randrange(10**7, 10**8)}"),
    ),
}


def positives(half: Half, per_kind: int = 40) -> list[Sample]:
    """Samples of every kind; the same for the same arguments."""
    samples: list[Sample] = []
    contexts = CONTEXTS[half]
    shaped = {"api-key": API_KEYS, "jwt": JWTS, "private-key": PEMS, **PERSONAL}
    for kind, makers in shaped.items():
        draw = random.Random(f"{half} {kind}")
        for number in range(per_kind):
            value = makers[half][number % len(makers[half])](draw)
            # What may stay: a label before a number, a port or prefix length after an address.
            hidden = value.removeprefix("tel: ").partition("/24")[0]
            if kind == "ip" and hidden.count(".") == 3:
                hidden = hidden.partition(":")[0]
            hidden = hidden.removeprefix("https://hooks.slack.com/services/")
            samples.append(Sample(kind, draw.choice(contexts).format(value), hidden))
    for kind, named in BESIDE.items():
        draw = random.Random(f"{half} {kind}")
        for number in range(per_kind):
            text, make = named[half][number % len(named[half])]
            value = make(draw)
            samples.append(Sample(kind, text.format(value), value))
    draw = random.Random(f"{half} fields")
    for number in range(per_kind):
        kind, name, make = FIELDS[half][number % len(FIELDS[half])]
        value = make(draw)
        body = json.dumps({"id": 7, "data": [{name: value, "ok": True}]})
        samples.append(Sample(kind, body, value, as_json=True))
    return samples


def wrong_check(make: Make) -> Make:
    """The same with its last digit changed, so that the check digit is wrong."""

    def made(draw: Draw) -> str:
        value = make(draw)
        return value[:-1] + str((int(value[-1]) + draw.randrange(1, 9)) % 10)

    return made


def sized_uuid(draw: Draw) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


LOOKALIKES: dict[str, dict[Half, tuple[Make, ...]]] = {
    "email": {
        "dev": (
            lambda d: f"@app.get('/items/{d.randrange(99)}')",
            lambda d: f"lodash@4.{d.randrange(20)}.{d.randrange(30)}",
            lambda d: f"git@github.com:team{d.randrange(9)}/repo.git",
        ),
        "held_out": (
            lambda d: f"logo{d.randrange(9)}@2x.png",
            lambda d: f"y = W{d.randrange(9)}@x.transpose()",
            lambda d: f"image@sha256:{chars(HEX, 64)(d)}",
            lambda d: f"https://medium.example/@writer{d.randrange(99)}/a-story",
            lambda d: f"@types/node@20.{d.randrange(20)}.0",
            lambda d: f"deploy@web{d.randrange(9)}",
            lambda d: f"me (at) example dot com, {d.randrange(99)}",
        ),
    },
    "phone": {
        "dev": (
            lambda d: f"2024-{d.randrange(1, 13):02d}-{d.randrange(1, 28):02d}",
            lambda d: f"order {d.randrange(10**9, 10**10)}",
            lambda d: f"3.{d.randrange(10**14, 10**15)}",
        ),
        "held_out": (
            lambda d: f"ISBN 978-3-16-{d.randrange(10**5, 10**6)}-0",
            lambda d: f"{d.randrange(1, 9)},{d.randrange(100, 999)},{d.randrange(100, 999)}.50 USD",
            lambda d: f"at +52.{d.randrange(1000, 9999)}, +13.{d.randrange(1000, 9999)}",
            lambda d: f"ORD-2024-{d.randrange(10**5, 10**6)}",
            lambda d: f"a{d.randrange(10, 99)}+{d.randrange(10**8, 10**9)}",
            lambda d: f"94105-{d.randrange(1000, 9999)}",
            lambda d: f"{d.randrange(10**9, 2 * 10**9)} seconds since 1970",
            lambda d: f"1 + 2 + 3 + {d.randrange(9)} + 5 + 6 + 7 + 8",
            lambda d: f"{d.randrange(100, 199)}-{d.randrange(100, 199)}-{d.randrange(1000, 9999)}",
            lambda d: f"phone screens sold: {d.randrange(10, 999)}",
        ),
    },
    "card": {
        "dev": (
            wrong_check(card("4", 16)),
            lambda d: str(d.randrange(1_500_000_000_000_000, 1_900_000_000_000_000)),
        ),
        "held_out": (
            wrong_check(card("2221", 16)),
            wrong_check(card("51", 16, (4, 4, 4, 4), " ")),
            card("1", 16),
            card("9", 16),
            lambda d: f"978{d.randrange(10**9, 10**10)}",
            lambda d: str(d.randrange(10**18, 2 * 10**18)),
            lambda d: f"0.{card('4', 16)(d)}",
            lambda d: f"id_{card('4', 16)(d)}",
        ),
    },
    "iban": {
        "dev": (
            wrong_check(iban("DE", "n" * 18)),
            lambda d: f"DE{d.randrange(10**8, 10**9)}",
        ),
        "held_out": (
            wrong_check(iban("ES", "n" * 20)),
            wrong_check(iban("NO", "n" * 11)),
            lambda d: "ZZ" + iban("DE", "n" * 18)(d)[2:],
            lambda d: iban("FR", "n" * 23)(d)[:-3],
            lambda d: f"ATU{d.randrange(10**7, 10**8)}",
            lambda d: f"part GB29{chars(string.ascii_uppercase, 4)(d)}-{d.randrange(10**4)}",
        ),
    },
    "ip": {
        "dev": (
            lambda d: f"version 1.{d.randrange(9)}.{d.randrange(9)}.{d.randrange(9)}",
            lambda d: f"127.0.0.{d.randrange(1, 9)}",
            lambda d: f"std::vector<int>::size_{d.randrange(9)}",
        ),
        "held_out": (
            lambda d: f"999.{d.randrange(9)}.2.{d.randrange(99)}",
            lambda d: f"1.3.6.1.4.1.{d.randrange(9999)}.2",
            lambda d: f"255.255.{d.choice((0, 255, 254))}.0",
            lambda d: f"{d.randrange(24):02d}:{d.randrange(60):02d}:{d.randrange(60):02d}",
            lambda d: f"bad::face{d.randrange(9)}",
            lambda d: f"chromium v{d.randrange(90, 140)}.0.{d.randrange(9999)}.{d.randrange(99)}",
            lambda d: "0.0.0.0:" + str(d.randrange(1024, 9999)),
            lambda d: ":".join(f"{d.randrange(256):02x}" for _ in range(16)),
            lambda d: f"1:{d.randrange(9)}:3:4",
            lambda d: (
                f"numpy=={d.randrange(1, 3)}.{d.randrange(9)}.{d.randrange(9)}.{d.randrange(9)}"
            ),
        ),
    },
    "mac": {
        "dev": (lambda d: ":".join(f"{d.randrange(256):02x}" for _ in range(5)),),
        "held_out": (
            lambda d: "-".join(f"{d.randrange(256):02x}" for _ in range(8)),
            lambda d: f"2030-05-01-{d.randrange(24):02d}-{d.randrange(60):02d}",
            lambda d: f"{d.randrange(10, 60)}:{d.randrange(10, 60)}:{d.randrange(10, 60)}:0g:00:00",
        ),
    },
    "host": {
        "dev": (lambda d: f"import company{d.randrange(9)}.internal.tools",),
        "held_out": (
            lambda d: f"node.internal.slot{d.randrange(9)}",
            lambda d: f"www.example{d.randrange(9)}.com",
            lambda d: f"self.lan({d.randrange(9)})",
            lambda d: f"threading.local{d.randrange(9)}",
        ),
    },
    "api-key": {
        "dev": (
            sized_uuid,
            chars(HEX, 40),
            lambda d: f"sk-folding-cube-{d.choice(WORDS).lower()}-large-spinner",
        ),
        "held_out": (
            lambda d: f"AKIA{chars(string.digits, 4)(d)}",
            lambda d: f"sha256:{chars(HEX, 64)(d)}",
            lambda d: f"ask-{d.choice(WORDS)}-about-the-next-release-plan",
            lambda d: f"hf_{d.choice(WORDS)}_model_name",
            lambda d: f"task_live_{d.choice(WORDS)}",
            lambda d: f"test_sk_{d.choice(WORDS)}_is_rejected_when_empty",
            lambda d: f"key-{d.choice(WORDS)}-value-pairs-in-a-dictionary",
            lambda d: f"pk_live_{chars(ALNUM, 24)(d)}",
            lambda d: f"SK{chars(string.digits, 6)(d)}",
        ),
    },
    "jwt": {
        "dev": (lambda d: "eyJ" + chars(ALNUM, 30)(d), lambda d: "eyJhbGciOiJIUzI1NiJ9"),
        "held_out": (
            lambda d: f"eyJ.{d.choice(WORDS)}.{d.choice(WORDS)}",
            lambda d: f"module.{d.choice(WORDS)}.eyJackson.function_name",
            lambda d: "heyJude.recording.version" + str(d.randrange(9)),
        ),
    },
    "private-key": {
        "dev": (pem("PUBLIC KEY", 4),),
        "held_out": (
            pem("CERTIFICATE", 12),
            pem("RSA PUBLIC KEY", 4),
            lambda d: f"The PRIVATE KEY is kept in slot {d.randrange(9)}.",
        ),
    },
    "password": {
        "dev": (
            lambda d: f"http://localhost:{d.randrange(1024, 9999)}/path",
            lambda d: "postgres://user:<password>@db/main",
        ),
        "held_out": (
            lambda d: f"https://example.com:443/@user{d.randrange(9)}/post",
            lambda d: "mysql://root:${MYSQL_PASSWORD}@db/shop",
            lambda d: "amqp://user:{{ password }}@mq/",
            lambda d: f"see http://a.example/x:{d.randrange(99)}",
            lambda d: f"ssh://git@host.example:{d.randrange(22, 99)}/repo",
            lambda d: "redis://:****@cache:6379/0",
        ),
    },
    "authorization": {
        "dev": (lambda d: "The bearer of this letter is honest.", lambda d: "Authorization: none"),
        "held_out": (
            lambda d: f"basic understanding of {d.choice(WORDS)}",
            lambda d: f"Bearer authentication-scheme for {d.choice(WORDS)}",
            lambda d: "Authorization: <token>",
            lambda d: "authorization: required",
            lambda d: f"basic internationalization, step {d.randrange(9)}",
        ),
    },
    "secret": {
        "dev": (
            lambda d: f"max_tokens = {d.randrange(100, 9999)}",
            lambda d: "password = getpass.getpass()",
            lambda d: f'cache_key = "{chars(HEX, 40)(d)}"',
            lambda d: '{"token": "hello"}',
        ),
        "held_out": (
            lambda d: 'api_key = os.environ["SERVICE_API_KEY"]',
            lambda d: "def login(user: str, password: str) -> Token:",
            lambda d: f"primary_key = 'customer_id_{d.randrange(9)}'",
            lambda d: f'"next_page_token": "{chars(ALNUM, 30)(d)}"',
            lambda d: f"commit: {chars(HEX, 40)(d)}",
            lambda d: f"PASSWORD_MIN_LENGTH = {d.randrange(8, 20)}",
            lambda d: "token = self.tokens.pop()",
            lambda d: f"sort_key=created_at_{d.choice(WORDS).lower()}",
            lambda d: "password=None, secret=''",
            lambda d: f"public_key: {chars(ALNUM, 44)(d)}",
            lambda d: f"The secret: {d.choice(WORDS)} and patience",
            lambda d: 'token = "the quick brown fox jumps over it"',
            lambda d: f"monkey: {sized_uuid(d)}",
            lambda d: "Password: must have at least twelve characters",
            lambda d: f"etag={chars(HEX, 32)(d)}",
        ),
    },
}


def lookalikes(half: Half, per_kind: int = 40) -> list[Sample]:
    """Texts that resemble each kind and must stay as they are."""
    samples: list[Sample] = []
    for kind, makers in LOOKALIKES.items():
        draw = random.Random(f"{half} {kind} alike")
        for number in range(per_kind):
            value = makers[half][number % len(makers[half])](draw)
            context = draw.choice(CONTEXTS[half]) if kind != "secret" else "{}"
            samples.append(Sample(kind, context.format(value)))
    return samples
