"""How well and how fast the scrubber works: `python evals/scrubber.py [--json] [--show]`.

Recall: the secret is gone and a mark of its kind stands there. Precision: of all texts that
got a mark of a kind, how many deserved it. Rules were developed on `dev`; `held_out` shares no
format variant, surrounding text or draw with it.
"""

import argparse
import json
import re
import sysconfig
import time
from collections import Counter
from pathlib import Path

from hammerstone.tracing.scrub import ALL_KINDS, Scrubber
from scrub_set import Half, Sample, lookalikes, positives

MARK = re.compile(rf"\[({'|'.join(sorted(ALL_KINDS))})\]")


def scrub(scrubber: Scrubber, sample: Sample) -> str:
    if sample.as_json:
        return json.dumps(scrubber(json.loads(sample.text)))
    return scrubber.text(sample.text)


def score(half: Half, show: bool) -> dict[str, dict[str, float]]:
    scrubber = Scrubber()
    hits: Counter[str] = Counter()
    misses: Counter[str] = Counter()
    false: Counter[str] = Counter()
    alike: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for sample in positives(half):
        out = scrub(scrubber, sample)
        assert sample.hidden is not None
        assert sample.hidden in sample.text or sample.as_json
        found = set(MARK.findall(out))
        if sample.hidden not in out and sample.kind in found:
            hits[sample.kind] += 1
        else:
            misses[sample.kind] += 1
            if show:
                print(f"  missed {sample.kind}: {sample.text[:150]!r} -> {out[:150]!r}")
        for other in found - {sample.kind}:
            false[other] += 1
            if show:
                print(f"  extra {other}: {sample.text[:150]!r} -> {out[:150]!r}")
    for sample in lookalikes(half):
        out = scrub(scrubber, sample)
        alike[sample.kind] += 1
        kept[sample.kind] += out == sample.text
        for kind in set(MARK.findall(out)) - set(MARK.findall(sample.text)):
            false[kind] += 1
            if show:
                print(f"  false {kind}: {sample.text[:150]!r} -> {out[:150]!r}")
    table: dict[str, dict[str, float]] = {}
    for kind in sorted(hits | misses | false):
        total, marked = hits[kind] + misses[kind], hits[kind] + false[kind]
        table[kind] = {
            "positives": total,
            "recall": hits[kind] / total if total else 1.0,
            "precision": hits[kind] / marked if marked else 1.0,
            "lookalikes": alike[kind],
            "left_alone": kept[kind] / alike[kind] if alike[kind] else 1.0,
        }
    total, marked = hits.total() + misses.total(), hits.total() + false.total()
    table["all"] = {
        "positives": total,
        "recall": hits.total() / total,
        "precision": hits.total() / marked,
        "lookalikes": alike.total(),
        "left_alone": kept.total() / alike.total(),
    }
    return table


def speed() -> dict[str, float]:
    """Throughput on ordinary text and source code, and the time for one usual span."""
    here = Path(__file__).resolve().parent
    text = "\n".join(path.read_text() for path in sorted(here.glob("*.py")))[:100_000]
    span = {
        "messages": [
            {"role": "system", "content": "You write one Python function and nothing else. " * 4},
            {"role": "user", "content": "The ISO week of a date; 2024-03-01 gives 9. " * 8},
        ],
        "gen_ai.request.model": "qwen2.5-coder",
        "gen_ai.usage.input_tokens": 123,
        "schema": {"type": "object", "properties": {"date": {"type": "string"}}},
    }
    scrubber = Scrubber()
    hostile = {
        "a": "a" * 1_000_000,
        "@": "@" * 1_000_000,
        "digits": "1" * 1_000_000,
        "words": "key=" * 250_000,
    }
    return {
        "text_mb_per_s": len(text) / best(lambda: scrubber.text(text)) / 1e6,
        "span_chars": len(json.dumps(span)),
        "span_us": best(lambda: scrubber(span), 200) * 1e6,
        **{
            f"hostile_{k}_ms": best(lambda v=v: scrubber.text(v), 2) * 1e3
            for k, v in hostile.items()
        },
    }


def real_code(limit_bytes: int = 4_000_000) -> dict[str, float]:
    """Marks in each megabyte of the standard library's source, by kind: text nobody made for this.

    It holds real addresses of people and hosts; every mark of another kind is worth a look.
    """
    scrubber = Scrubber()
    marks: Counter[str] = Counter()
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(errors="replace")
        size += len(text)
        marks.update(MARK.findall(scrubber.text(text)))
        marks.subtract(MARK.findall(text))
        if size > limit_bytes:
            break
    return {kind: count / size * 1e6 for kind, count in marks.most_common()}


def best(work, times: int = 5) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the mistakes on dev")
    options = parser.parse_args()
    result = {half: score(half, options.show and half == "dev") for half in ("dev", "held_out")}
    if options.json:
        print(json.dumps({**result, "speed": speed(), "real_code": real_code()}, indent=1))
        return
    for half, table in result.items():
        print(f"\n{half:<15} positives  recall  precision  look-alikes  left alone")
        for kind, row in table.items():
            print(
                f"{kind:<15} {row['positives']:>9} {row['recall']:>7.3f} {row['precision']:>10.3f}"
                f" {row['lookalikes']:>12} {row['left_alone']:>11.3f}"
            )
    print()
    for name, value in speed().items():
        print(f"{name:<22} {value:>10.1f}")
    print("\nmarks in a megabyte of the standard library's source:")
    print("  " + ", ".join(f"{kind} {count:.1f}" for kind, count in real_code().items()))


if __name__ == "__main__":
    main()
