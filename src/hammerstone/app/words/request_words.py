"""The numbers behind a request in words: what it may spend, how tools are found, how it is
answered."""

SPENT = {
    "tokens": "Tokens (pieces of words) that models may read and write for it.",
    "model_calls": "How often a model may be called for it.",
    "usd": "Dollars that it may cost.",
}

SPENDING: dict[str, tuple[str, dict[str, str]]] = {
    "request_budget": ("One request", {**SPENT, "steps": "How many steps one request may take."}),
    "build_budget": (
        "Building one tool",
        {**SPENT, "attempts": "How often it is tried before it is given up."},
    ),
}

FINDING: dict[str, tuple[str, dict[str, str]]] = {
    "fit": (
        "When a tool fits",
        {
            "high": "From this chance on that a tool fits, it is run without a second look.",
            "middle": "From this chance on, a tool is checked before it is run; below it, a "
            "new one is built.",
            "same_wording": "How sure it is of a tool that answered the same words with other "
            "values.",
            "retrieval_similarity_threshold": "Tools that are less similar to the request than "
            "this are not looked at.",
            "refit_decisions": "After so many decisions of yours the chance is worked out again "
            "from them.",
        },
    ),
    "search": (
        "The order of what is found",
        {
            "meaning_weight": "How much a similar meaning counts.",
            "words_weight": "How much the same words count.",
            "unfilled_weight": "How much a tool loses for each number that it needs and the "
            "request does not name.",
            "rerank": "Also use how often a tool was used and went well.",
            "relevance_share": "Share of the score that meaning and words decide.",
            "success_share": "Share of the score that earlier success decides.",
            "frequency_share": "Share of the score that earlier use decides.",
            "learn": "Remember which tool was right for which request.",
            "past_requests": "How many earlier requests are remembered for each tool.",
            "known_after": "After so many answers by one tool, the same words with other values go "
            "to it without a search; 0 for never.",
            "database_from": "With so many tools or more, PostgreSQL finds them and not memory.",
            "database_candidates": "How many tools PostgreSQL then finds by meaning, and how many "
            "by words.",
        },
    ),
    "duplicates": (
        "When a tool is already there",
        {
            "enabled": "Look for an equal tool before a new one is kept.",
            "candidates": "How many similar tools are compared.",
            "similarity": "Tools that are less similar than this are not compared.",
            "inputs": "How many made-up inputs both are tried on.",
            "agreeing": "On how many inputs both must give the same, and on none differ.",
        },
    ),
    "graph": (
        "Ways from tool to tool",
        {
            "max_hops": "How many tools may follow each other.",
            "whole_up_to": "Of a library with more tools, only those used in a row are looked at.",
            "beam": "How many tools are tried before each one.",
            "weakest_link": "How well types must fit for two tools that were never used together.",
            "spread": "How much worse than the best way another one may be.",
            "goals": "How many tools are tried as the last one.",
            "expansions": "How many combinations are tried at most.",
            "seconds": "How long it may look.",
            "missing_cost": "How much worse a way is for each value that you would have to give.",
            "experimental_cost": "How much worse a way is for each tool that is not proved.",
            "deprecated_cost": "How much worse a way is for each tool that is going out of use.",
        },
    ),
}

ANSWERING: dict[str, tuple[str, dict[str, str]]] = {
    "documents": (
        "Documents",
        {
            "max_file_bytes": "Larger files are not read.",
            "max_files": "How many documents one folder may hold.",
            "max_folder_bytes": "How large the documents of one folder may be together.",
            "max_text_chars": "Documents with more text than this are not read.",
            "read_seconds": "How long reading one PDF, Word or Excel file may take.",
            "read_memory_bytes": "How much memory reading one of them may take.",
            "chunk_tokens": "How long the pieces are that a document is cut into, in tokens.",
            "candidates": "How many pieces are compared sentence by sentence.",
            "meaning_weight": "How much a similar meaning counts.",
            "words_weight": "How much the same words count.",
            "passage_weight": "How much the words of the whole passage count beside those of a "
            "sentence.",
            "said_weight": "How much it counts which share of a question's words the passage says.",
            "pairs_weight": "How much it counts how many of them stand beside each other there, "
            "too.",
            "past_weight": "How much it counts that a piece answered a like question before.",
            "past_similarity": "How alike two questions have to be for that.",
            "past_questions": "How many earlier questions are remembered for that.",
            "excerpt_sentences": "How many sentences, with their neighbours, a model reads.",
            "excerpt_words": "How many words of documents a model reads for one answer.",
            "whole_words": "How many words of the nearest passage it reads once more.",
            "answer_from": "From this chance on that an answer is right, it is given.",
            "doubt_from": "From this chance on, the likeliest answer is shown as not certain.",
            "sure_from": "From this chance on, it is called sure.",
            "about_from": "From this chance on that a question is about your documents, it is "
            "told when they do not say it.",
            "quoted": "How many passages are shown beside an answer.",
        },
    ),
    "plan": (
        "Requests with several steps",
        {
            "most_steps": "A request with more steps than this gets a tool of its own.",
            "choose_above_similarity": "Tools so similar are read before a new one is built.",
            "workflow_confidence": "How sure it must be of a known order of steps to use it.",
            "recovery_attempts": "How many ways out are tried when a step fails.",
        },
    ),
    "execution": (
        "Running a tool",
        {
            "extraction_attempts": "How often it tries to read the values from the request.",
            "earlier_calls": "How many earlier requests show it where the values stand; 0: none.",
            "repeat_limit": "How often the same call may be made in one session without progress.",
        },
    ),
    "answer": (
        "How sure an answer is",
        {
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
            "unproved_alone": "How sure an unproved tool has to be to answer without a solution "
            "beside it.",
            "read_arguments": "How sure values are that a model read from the request.",
            "agreement_odds": "How much likelier a tool fits when a solution gives the same.",
            "telling_odds": "The same for a value that is hardly met by chance.",
            "nearest": "From this fit on, a tool is tried on the value that solutions gave.",
            "doubtful": "How sure a result is that the tool's own tests speak against.",
            "solution_tokens": "How long one solution may be, in tokens (pieces of words).",
            "temperature": "How much solutions may differ from each other; 0 makes them all the "
            "same.",
            "even_share": "If the lead over the next value is smaller than this share, you are "
            "asked.",
        },
    ),
    "memory": (
        "What memory adds to a request",
        {
            "enabled": "Use what was said earlier.",
            "tokens": "How much may be added in all, besides your rules.",
            "window": "How many of the last requests of the session are added.",
            "exchange_tokens": "How much of each of them.",
            "facts_tokens": "How much of what it knows about you.",
            "summary_tokens": "How much of the summary of a long session.",
            "log_tokens": "How much of what was noted yesterday and today.",
            "recalled": "How many similar earlier requests are added.",
            "meaning_share": "Share of the score that meaning decides.",
            "words_share": "Share of the score that equal words decide.",
            "minimum_score": "Earlier requests below this score are not added.",
            "minimum_meaning": "How similar the meaning must be at least.",
            "half_life_days": "After so many days an earlier request counts half.",
            "oldest_share": "The least share of its score that an old request keeps.",
            "searched": "How many of your requests are searched, the newest first.",
            "summary_by_model": "Let a model write the summary of a long session.",
            "summary_model_tokens": "What such a summary may cost.",
        },
    ),
    "skills": (
        "Skills",
        {
            "max_file_bytes": "The largest file of a skill.",
            "max_total_bytes": "The largest skill.",
            "max_files": "How many files a skill may have.",
            "max_body_chars": "How long its instructions may be.",
            "idle_chars": "How much of a skill is shown before it is chosen.",
            "max_depth": "How deep skills may call each other.",
            "max_steps": "How many calls one run of a skill may make.",
            "max_items": "How many parts of an input are worked on at once.",
            "parallel": "How many calls run at the same time.",
            "seconds": "How long a skill may run.",
            "level": "The highest level of freedom that a skill may have (1 to 5).",
            "fit": "How likely a skill must be the right one before it is used.",
            "body_chars": "How much of its text a model is shown at once.",
            "reference_chars": "How much of its other texts a model is shown.",
            "references": "How many passages of its other texts a model is shown.",
            "reference_meaning": "How near in meaning such a passage has to be.",
        },
    ),
}
