"""What the numbers of an answer mean, for the people who change them."""

ANSWER_FIELDS = {
    "sure_at": "From this chance on an answer is called sure.",
    "likely_at": "From this chance on an answer is called likely; below it, unsure.",
    "max_solutions": "How many solutions are written for one answer at most.",
    "first": "How many solutions are written before the first value is shown.",
    "then": "How many are written next, to compare.",
    "more": "How many more are written while it is not sure.",
    "stop_at": "From this chance on no more solutions are written.",
    "settled_share": "When this share of at least four solutions agrees, it stops.",
    "repair_errors": "Let the model correct a solution that failed, once.",
    "chosen_confidence": "How sure a value is that you chose out of two.",
    "unknown_tool": "How sure a tool is of which nothing is known.",
    "unproved_alone": "How sure an unproved tool has to be to answer without a solution beside it.",
    "read_arguments": "How sure values are that a model read from the request.",
    "agreement_odds": "How much likelier a tool fits when a solution gives the same.",
    "telling_odds": "The same for a value that is hardly met by chance.",
    "nearest": "From this fit on, a tool is tried on the value that solutions gave.",
    "doubtful": "How sure a result is that the tool's own tests speak against.",
    "solution_tokens": "How long one solution may be, in tokens (pieces of words).",
    "temperature": "How much solutions may differ from each other; 0 makes them all the same.",
    "even_share": "If the lead over the next value is smaller than this share, you are asked.",
}
