"""What a guest, a page, an archive or a client might send: made up, and made to be slow."""

import io
import json
import zipfile
import zlib
from collections.abc import Sequence

from hypothesis import strategies as st

MEGABYTE = 1 << 20

SAME_HASH = 2**61 - 1

TEXT = st.text(st.characters(), max_size=200)

TAGS = [
    "$tuple",
    "$set",
    "$array",
    "$dict",
    "$opaque",
    "$table",
    "$int",
    "$float",
    "$bytes",
    "$complex",
    "$datetime",
    "$date",
    "$time",
    "$timedelta",
    "$decimal",
    "$fraction",
    "$range",
    "$other",
    "$",
]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    TEXT,
    st.from_regex(r"-?[0-9]{1,12}(/[0-9]{1,9})?(e[+-]?[0-9]{1,9})?", fullmatch=True),
    st.dates().map(str),
    st.datetimes().map(str),
)

JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(TEXT, inner, max_size=4),
        st.dictionaries(st.sampled_from(TAGS), inner, min_size=1, max_size=2),
        st.lists(st.lists(inner, min_size=2, max_size=2), max_size=4).map(lambda p: {"$dict": p}),
    ),
    max_leaves=30,
)

DOCUMENT = st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=300))


def repeated(*tokens: str, size: int = 400_000) -> list[str]:
    return [token * (size // len(token)) for token in tokens]


LARGE_JSON = [
    b"[" + b"[]," * 300_000 + b"1]",
    b"[" + b"1," * 500_000 + b"1]",
    b"[" * 200_000,
    b'["' + b'\\"' * 500_000,
    b'"' * MEGABYTE,
    json.dumps([{"$date": "2026-01-01"}] * 40_000).encode(),
    json.dumps({"$set": [{"$int": hex(SAME_HASH * n)} for n in range(1, 25_000)]}).encode(),
    json.dumps([{"$fraction": f"{'9' * 3900}/7"}] * 250).encode(),
    json.dumps({"$decimal": "1e99999999"}).encode(),
    json.dumps({"$float": "9" * MEGABYTE}).encode(),
    json.dumps("é😀" * 70_000).encode(),
]

KINDS = st.sampled_from([b"L", b"O", b"E", b"A", b"V", b"F", b"D", b"T", b"?"])

FRAMES = st.lists(st.tuples(KINDS, DOCUMENT), max_size=6)

CONVERSATION = st.tuples(
    st.one_of(FRAMES, FRAMES.map(lambda frames: [(b"L", b""), *frames])), st.binary(max_size=40)
)

HTML = st.lists(
    st.one_of(
        TEXT,
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<b hidden>",
                "<!--",
                "-->",
                "<script>",
                "</script>",
                "<a b='",
                '"',
                ">",
                "<",
                "</",
                "<!",
                "<?",
                "&#",
                "&amp",
                "&#x",
                ";",
                "<svg>",
                "<br/>",
                "style=",
                "=",
                "/",
            ]
        ),
    ),
    max_size=40,
).map("".join)

LARGE_HTML = repeated(
    *("<b hidden>", "<b hidden></i>", "<!--", "<a ", "<", "<a b='", "&#1", "&", "<script>", "<p>")
)

LARGE_HTML += ["<b hidden>" * 40_000 + "</i>" * 40_000, "&#" + "1" * 5000 + ";"]

CHARSETS = st.one_of(
    TEXT,
    st.sampled_from(
        [
            "utf-8",
            "punycode",
            "idna",
            "hex",
            "zlib",
            "rot13",
            "utf-7",
            "utf-16",
            "utf-32",
            "gb18030",
            "iso2022_jp",
            "unicode_escape",
            "undefined",
            "mbcs",
            "cp1252",
            "shift_jis",
            "x" * 900,
        ]
    ),
)

HEADER = st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=60)

LARGE_BODIES = [("punycode", b"a-" + b"caf9" * 100_000), ("utf-16", b"\x00\xdc" * MEGABYTE)]

LARGE_BODIES += [("utf-7", b"+" * MEGABYTE), ("gb18030", b"\xff" * 2 * MEGABYTE)]

RESPONSES = st.fixed_dictionaries(
    {
        "address": st.one_of(
            st.sampled_from(["http://a.example/", "https://a.example:444/x?y#z"]),
            TEXT.map(lambda text: f"http://{text}/"),
            TEXT,
        ),
        "status": st.sampled_from([200, 204, 301, 302, 307, 404, 500]),
        "kind": st.one_of(CHARSETS.map(lambda name: f"text/html; charset={name}"), HEADER),
        "packing": st.sampled_from(["", "", "gzip", "deflate", "br", "identity, gzip", "ü"]),
        "target": st.one_of(
            HEADER, st.sampled_from(["/x", "http://[", "//a:b", "http://b.example"])
        ),
        "body": st.one_of(
            st.binary(max_size=300), HTML.map(lambda t: t.encode("utf-8", "replace"))
        ),
    }
)

BOMB = {"address": "http://a.example/", "status": 200, "kind": "text/html", "target": "/"}

BOMBS = [{**BOMB, "packing": "deflate", "body": zlib.compress(bytes(20 * MEGABYTE))}]

BOMBS += [{**BOMB, "packing": "", "body": source.encode()} for source in LARGE_HTML]

SEARCHES = st.sampled_from(["searxng", "brave", "tavily"])


def _zipped(names: Sequence[str], text: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys(names):
            archive.writestr(name, text)
    return content.getvalue()


def _torn(given: tuple[bytes, list[tuple[int, int]], int]) -> bytes:
    content, changes, cut = given
    torn = bytearray(content)
    for place, byte in changes:
        torn[place % len(torn)] = byte
    return bytes(torn[: len(torn) - cut % len(torn)] if cut else torn)


NAMES = st.lists(
    st.one_of(
        st.sampled_from(["a/tool.py", "a/tool.toml", "a/test_a.py", "SKILL.md", "s/SKILL.md"]),
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
    ),
    min_size=1,
    max_size=4,
)

ARCHIVES = st.one_of(
    st.binary(max_size=200),
    st.tuples(
        st.builds(_zipped, NAMES, st.binary(max_size=200)),
        st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4),
        st.one_of(st.just(0), st.integers(0, 400)),
    ).map(_torn),
)

ZIP_BOMB = _zipped([f"t{n}/tool.py" for n in range(80)], bytes(MEGABYTE))

MESSAGES = st.one_of(
    st.none(),
    TEXT,
    JSON.map(json.dumps),
    st.dictionaries(
        st.sampled_from(
            ["text", "session", "files", "resume", "after", "choice", "approve", "cancel", "run"]
        ),
        JSON,
        max_size=4,
    ).map(json.dumps),
)

HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "host",
                "origin",
                "authorization",
                "content-length",
                "sec-fetch-site",
                "sec-websocket-protocol",
            ]
        ),
        st.one_of(HEADER, st.sampled_from(["127.0.0.1", "http://[", "²", "9" * 5000, "Bearer "])),
    ),
    max_size=5,
)

FIELDS = st.sampled_from(["tokens", "usd", "level", "ttl_s", "keep_days", "learn", "x"])

PYTHON = st.lists(
    st.one_of(
        TEXT,
        st.sampled_from(
            [
                "assert ",
                "f(",
                ")",
                " == ",
                "1",
                " and ",
                "[",
                "]",
                "for x in ",
                "lambda x: ",
                "with raises(E):\n    ",
                "def test_a():\n    ",
                "result",
                "(",
                "\n",
                "9" * 5000,
            ]
        ),
    ),
    max_size=15,
).map("".join)
