"""The numbers of care in words: building and proving tools, what is asked first, what is kept."""

BUILDING: dict[str, tuple[str, dict[str, str]]] = {
    "synthesis": (
        "When a new tool is proved",
        {
            "verified_at": "From this chance on that it is right, a tool counts as verified.",
            "rejected_below": "Below this chance a tool is thrown away.",
            "first_candidates": "How many programs are written at first.",
            "first_suites": "How many authors write tests at first.",
            "max_candidates": "How many programs are written at most.",
            "max_suites": "How many authors write tests at most.",
            "max_questions": "How many questions you are asked about one tool.",
            "hopeless": "It stops when the chance to prove the tool is smaller than this.",
            "adjudicator_reliability": "How often the model is right when it judges a "
            "disagreement.",
            "repeated_calls": "How many calls must give the same again in other surroundings.",
        },
    ),
    "proof": (
        "Code that you write yourself",
        {
            "cases": "How many tests it needs before it counts as verified.",
            "mutation_score": "Which share of small mistakes its tests must notice.",
        },
    ),
    "proving": (
        "Proofs after an answer",
        {
            "enabled": "Prove the tool behind an answer afterwards.",
            "attempts": "How often a proof is begun before it is given up.",
            "lease_s": "After so many silent seconds another process takes a proof over.",
            "retry_s": "Seconds to wait after a proof failed, longer each time.",
        },
    ),
    "questions": (
        "Questions about tools",
        {
            "enabled": "Ask me now and then which result of a tool is right.",
            "pause_hours": "Hours between two questions.",
            "put_off_days": "Days until a question that you left open comes again.",
        },
    ),
}

CARE: dict[str, tuple[str, dict[str, str]]] = {
    "maturity": (
        "How free it is",
        {
            "level": "1 runs only the tool it is given; 2 may run several; 3 asks before it "
            "writes; 4 may improve itself; 5 asks only before what cannot be undone.",
            **{
                f"iterations_{level}": f"How often it may plan and act in one request at level "
                f"{level}."
                for level in range(1, 6)
            },
            "ask_for_connectors": "Ask me before an outside service is used.",
            "ask_for_heavy": "Ask me before something that takes much time or money.",
        },
    ),
    "approvals": (
        "Waiting for your answer",
        {
            "wait_s": "Seconds that a request waits for you when it has to ask.",
            "keep_s": "Seconds after which a question without an answer is dropped.",
            "look_every_s": "Seconds between two looks whether you have answered.",
        },
    ),
    "durability": (
        "Requests that were broken off",
        {
            "lease_s": "Seconds without a sign of life after which a process counts as ended.",
            "attempts": "How often a request may end its process before it is given up.",
            "look_every_s": "Seconds between two looks for requests that were broken off.",
            "away_s": "Seconds until one is tried again whose model or database is away.",
            "at_once": "How many of them a server continues at the same time.",
        },
    ),
    "queue": (
        "Many requests at once",
        {
            "at_once": "How many requests one process answers at the same time.",
            "at_once_per_person": "How many of them may be one person's.",
            "longest_wait_s": "Seconds that a request waits for its turn before it is told to come "
            "again.",
            "waiting": "How many requests may wait; more are told to come again.",
            "waiting_per_person": "How many of them may be one person's.",
            "held": "How many requests all workers together answer at the same time; 0 is no "
            "limit.",
            "held_per_person": "How many of them may be one person's.",
            "held_per_model": "How many of them may ask for the same model; 0 is no limit.",
            "proofs_held": "How many proofs all processes together do at the same time; 0 is no "
            "limit.",
            "look_every_s": "Seconds between two looks for work while there is none.",
            "sign_every_s": "Seconds between two signs of life of a worker.",
            "grace_s": "Seconds that a worker which is told to end may take to finish its work.",
            "keep_workers_s": "Seconds that a worker is still listed after its last sign of life.",
        },
    ),
    "triggers": (
        "Requests that start by themselves",
        {
            "look_every_s": "Seconds between two looks for times that are due and for new files.",
            "side_by_side": "How many of their requests are worked on at once in one process.",
            "lease_s": "Seconds after which another process may go on with a request.",
            "attempts": "How often one request is tried.",
            "retry_s": "Seconds before the second try.",
            "clock_slack_s": "Seconds that a sender's clock may be off.",
            "settle_s": "Seconds that a file has to stay the same before it counts.",
            "most_files": "The most files that a watched folder may have.",
            "message_chars": "How many characters of a chat message are read.",
            "loop_messages": "So many messages in one conversation within the time below count as "
            "a loop.",
            "loop_within_s": "The time for that, in seconds.",
            "progress_every_s": "Seconds between two changes of the message about progress.",
            "keep_days": "Days that the log of triggers is kept.",
            "history_days": "Days that the numbers of their answers are kept.",
            "unusual_after": "How many values there must be before one can be unusual.",
            "unusual_spread": "How many usual spreads from the middle a value may be.",
        },
    ),
    "services": (
        "Services that fail",
        {
            "failures": "After so many failures in a row a service is not asked for a while.",
            "rest_s": "Seconds until it is tried again.",
            "search_failures": "The same for web search and reading pages: failures in a row.",
            "search_rest_s": "The same for web search and reading pages: seconds.",
            "attempts": "How often one call is tried.",
            "first_wait_s": "Seconds before the second try.",
            "longest_wait_s": "The longest pause between two tries, in seconds.",
        },
    ),
}

KEEPING: dict[str, tuple[str, dict[str, str]]] = {
    "cache": (
        "Results that are known already",
        {
            "enabled": "Give a known result again without running the tool.",
            "ttl_s": "Seconds for which the result of a call is kept.",
            "memo_ttl_s": "Seconds for which the answer to a whole request is kept.",
            "solved_ttl_s": "Seconds for which an answer that no tool gave is kept.",
            "max_rows": "How many results are kept.",
        },
    ),
    "session": (
        "What a session keeps",
        {
            "value_days": "Days for which results can be used again.",
            "value_bytes": "The largest result that is kept.",
            "file_days": "Days for which files are kept.",
            "file_bytes": "The largest file that is kept.",
            "given_file_bytes": "Files larger than this must be given again.",
            "files_per_request": "How many files one request may make.",
            "offered_values": "How many earlier results a request may refer to.",
        },
    ),
    "traces": (
        "Traces",
        {
            "keep_success_share": "Which share of the requests that went well is kept (1 is all).",
            "keep_days": "Days for which traces are kept.",
        },
    ),
    "evidence": (
        "What happened",
        {
            "keep_days": "Days for which requests, their steps and calls of tools are kept; what "
            "somebody judged stays.",
            "keep_calls": "How many of the last calls of each tool stay anyway.",
        },
    ),
}
