"""Examples for a reader: questions that a text answers, and like ones that it does not.

A case is a question with its answer and what the product shows for it: the excerpt, the nearest
passage as a whole, the excerpt without the sentences that say the answer, and what is found
elsewhere; and questions that were changed so that the excerpt no longer answers them.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NOT_STATED = "not stated"
_PLACE = re.compile(r"\{\{(passages|question)\}\}")
_ALIKE = 0.5  # words in common, as the harmonic mean of both shares
Messages = list[dict[str, str]]


def filled(template: Sequence[Mapping[str, str]], passages: str, question: str) -> Messages:
    """A prompt's messages; what is inserted is data and stays as it is."""
    values = {"passages": passages, "question": question}

    def inserted(text: str) -> str:
        return _PLACE.sub(lambda match: values[match.group(1)], text)

    return [{"role": one["role"], "content": inserted(one["content"])} for one in template]


def plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def unstated(reply: str) -> bool:
    return plain(reply).startswith(NOT_STATED) or not plain(reply)


def same(one: str, other: str) -> bool:
    """Whether two short answers say the same."""
    a, b = (Counter(plain(text).split()) for text in (one, other))
    common = sum((a & b).values())
    return bool(common) and 2 * common / (a.total() + b.total()) >= _ALIKE


def is_answered(answer: str, replies: Sequence[str]) -> bool:
    """Whether most readings give the answer."""
    return 2 * sum(same(answer, one) for one in replies) > len(replies)


def is_misleading(kind: str, answer: str, text: str, replies: Sequence[str]) -> bool:
    """Whether a changed question may count as one that the text does not answer.

    Readings that give the first question's answer fell for it, and readings that say "not stated"
    saw it. A text that says another answer, which a reading gives, may well answer it. A question
    with another question word asks for something else that the text may say in other words: only
    what no reading answers counts.
    """
    if kind == "word":
        return all(map(unstated, replies))
    other = [one for one in replies if not unstated(one) and not same(answer, one)]
    return not any(plain(one) in plain(text) for one in other)


def examples(cases: Sequence[Mapping[str, Any]], seed: int) -> Iterator[dict[str, Any]]:
    """Rows `{passages, question, reply, kind}`, as many with an answer as without.

    Every case gives pairs that differ in one thing: the question, or the text.
    """
    chance = random.Random(seed)
    for case in cases:
        asked = [one for one in (case["q"], case.get("reworded")) if one]
        texts = [("excerpt", case["excerpt"])]
        if case["whole_holds"]:
            texts.append(("whole", case["whole"]))
        without = [
            (name, case[name], chance.choice(asked))
            for name in ("removed", "elsewhere")
            if case.get(name)
        ]
        changed = [(kind, chance.choice(texts)[1], text) for kind, text in case["misleading"]]
        chance.shuffle(changed)
        wrong = changed[:2] + ([chance.choice(without)] if without else [])
        right = [(question, *chance.choice(texts)) for question in asked]
        chance.shuffle(right)
        for kind, text, question in wrong[: len(right) + (chance.random() < 0.5)]:
            yield {"passages": text, "question": question, "reply": NOT_STATED, "kind": kind}
        for question, name, text in right[: max(1, len(wrong))]:
            yield {"passages": text, "question": question, "reply": case["a"], "kind": name}
