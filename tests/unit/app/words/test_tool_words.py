"""The evidence for a tool in sentences."""

from hammerstone.app.words.tool_words import evidence_sentences


def test_numbers_become_sentences_and_nothing_stays_a_key() -> None:
    said = evidence_sentences(
        {
            "reason": "3 of 3 programs agree: 97% likely right",
            "inputs": 184,
            "truth": 2,
            "unmet": 1,
            "promised": 12,
            "promised_without_result": 0,
            "mutants": 3,
            "mutation_score": 1,
            "veto": "",
        }
    )
    assert said == [
        "3 of 3 programs agree: 97% likely right.",
        "All programs were compared on 184 inputs.",
        "2 examples came from a person; 1 of them is not met.",
        "It was run on 12 inputs that it promises to accept, and always gave a result.",
        "3 small mistakes were put into its code on purpose; the tests noticed 100% of them.",
    ]


def test_what_was_not_tried_is_not_told() -> None:
    assert evidence_sentences({}) == []
    assert evidence_sentences({"truth": 0, "mutants": 0, "inputs": 1}) == [
        "All programs were compared on 1 input."
    ]
