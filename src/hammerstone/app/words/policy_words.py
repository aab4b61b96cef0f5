"""What each policy and each of its numbers is, in words for the people who change them."""

from hammerstone.app.queue.queue_words import QUEUE_FIELDS
from hammerstone.app.words.answer_words import ANSWER_FIELDS
from hammerstone.app.words.document_words import DOCUMENT_FIELDS
from hammerstone.app.words.evolution_words import EVOLUTION_WORDS
from hammerstone.app.words.experiment_words import EXPERIMENT_FIELDS
from hammerstone.app.words.learning_words import (
    JOB_FIELDS,
    LABEL_FIELDS,
    MINING_FIELDS,
    TUNING_FIELDS,
)
from hammerstone.app.words.policy_titles import (
    ANSWERING,
    BUILDING,
    CARE,
    FINDING,
    KEEPING,
    LEARNING,
    SPENDING,
    SPENT,
    PolicyWords,
)
from hammerstone.app.words.track_words import TRACK_FIELDS
from hammerstone.app.words.trigger_words import TRIGGER_FIELDS
from hammerstone.app.words.trust_words import TRUST_FIELDS

WORDS: dict[str, PolicyWords] = {
    **EVOLUTION_WORDS,
    "request_budget": PolicyWords(
        "One request",
        SPENDING,
        {**SPENT, "steps": "How many steps one request may take."},
    ),
    "build_budget": PolicyWords(
        "Building one tool",
        SPENDING,
        {**SPENT, "attempts": "How often it is tried before it is given up."},
    ),
    "fit": PolicyWords(
        "When a tool fits",
        FINDING,
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
    "documents": PolicyWords("Documents", ANSWERING, DOCUMENT_FIELDS),
    "experiments": PolicyWords("Experiments", LEARNING, EXPERIMENT_FIELDS),
    "search": PolicyWords(
        "The order of what is found",
        FINDING,
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
    "duplicates": PolicyWords(
        "When a tool is already there",
        FINDING,
        {
            "enabled": "Look for an equal tool before a new one is kept.",
            "candidates": "How many similar tools are compared.",
            "similarity": "Tools that are less similar than this are not compared.",
            "inputs": "How many made-up inputs both are tried on.",
            "agreeing": "On how many inputs both must give the same, and on none differ.",
        },
    ),
    "graph": PolicyWords(
        "Ways from tool to tool",
        FINDING,
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
    "plan": PolicyWords(
        "Requests with several steps",
        ANSWERING,
        {
            "most_steps": "A request with more steps than this gets a tool of its own.",
            "choose_above_similarity": "Tools so similar are read before a new one is built.",
            "workflow_confidence": "How sure it must be of a known order of steps to use it.",
            "recovery_attempts": "How many ways out are tried when a step fails.",
        },
    ),
    "execution": PolicyWords(
        "Running a tool",
        ANSWERING,
        {
            "extraction_attempts": "How often it tries to read the values from the request.",
            "earlier_calls": "How many earlier requests show it where the values stand; 0: none.",
            "repeat_limit": "How often the same call may be made in one session without progress.",
        },
    ),
    "answer": PolicyWords("How sure an answer is", ANSWERING, ANSWER_FIELDS),
    "memory": PolicyWords(
        "What memory adds to a request",
        ANSWERING,
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
    "skills": PolicyWords(
        "Skills",
        ANSWERING,
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
    "synthesis": PolicyWords(
        "When a new tool is proved",
        BUILDING,
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
    "proof": PolicyWords(
        "Code that you write yourself",
        BUILDING,
        {
            "cases": "How many tests it needs before it counts as verified.",
            "mutation_score": "Which share of small mistakes its tests must notice.",
        },
    ),
    "proving": PolicyWords(
        "Proofs after an answer",
        BUILDING,
        {
            "enabled": "Prove the tool behind an answer afterwards.",
            "attempts": "How often a proof is begun before it is given up.",
            "lease_s": "After so many silent seconds another process takes a proof over.",
            "retry_s": "Seconds to wait after a proof failed, longer each time.",
        },
    ),
    "questions": PolicyWords(
        "Questions about tools",
        BUILDING,
        {
            "enabled": "Ask me now and then which result of a tool is right.",
            "pause_hours": "Hours between two questions.",
            "put_off_days": "Days until a question that you left open comes again.",
        },
    ),
    "maturity": PolicyWords(
        "How free it is",
        CARE,
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
    "approvals": PolicyWords(
        "Waiting for your answer",
        CARE,
        {
            "wait_s": "Seconds that a request waits for you when it has to ask.",
            "keep_s": "Seconds after which a question without an answer is dropped.",
            "look_every_s": "Seconds between two looks whether you have answered.",
        },
    ),
    "durability": PolicyWords(
        "Requests that were broken off",
        CARE,
        {
            "lease_s": "Seconds without a sign of life after which a process counts as ended.",
            "attempts": "How often a request may end its process before it is given up.",
            "look_every_s": "Seconds between two looks for requests that were broken off.",
            "away_s": "Seconds until one is tried again whose model or database is away.",
            "at_once": "How many of them a server continues at the same time.",
        },
    ),
    "queue": PolicyWords("Many requests at once", CARE, QUEUE_FIELDS),
    "triggers": PolicyWords("Requests that start by themselves", CARE, TRIGGER_FIELDS),
    "services": PolicyWords(
        "Services that fail",
        CARE,
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
    "gate": PolicyWords(
        "When a change is accepted",
        LEARNING,
        {
            "alpha": "The chance that a change is accepted though it does not help.",
            "confidence": "How sure it must be that a change is right.",
            "min_equal": "On how many new cases a cheaper way must give the same.",
            "ask_for_prompts": "Ask me before a prompt is changed.",
            "ask_for_policies": "Ask me before one of these numbers is changed.",
            "ask_for_retirement": "Ask me before a tool is taken out of use.",
        },
    ),
    "lifecycle": PolicyWords(
        "When use changes a tool's standing",
        LEARNING,
        {
            "trusted_uses": "After so many good uses without a failure a tool is trusted.",
            "trusted_sessions": "In how many sessions these uses must have been.",
            "retired_uses": "After so many uses a tool that fails may be taken out of use.",
            "retired_success": "It is taken out of use when fewer than this share went well.",
            "look_every": "Good uses between two looks at a tool.",
        },
    ),
    "trust": PolicyWords("How far use moves the chance of a tool", LEARNING, TRUST_FIELDS),
    "mining": PolicyWords(
        "Steps that become one tool",
        LEARNING,
        MINING_FIELDS,
    ),
    "repair": PolicyWords(
        "Repairing tools",
        LEARNING,
        {
            **SPENT,
            "enabled": "Try to repair tools that fail.",
            "edits": "How many small changes of the code are tried.",
            "survivors": "How many changes that pass the tests are compared further.",
            "probes": "How many made-up inputs tell them apart.",
            "samples": "How many fixes a model writes that sees the code.",
            "rewrites": "How many programs a model writes that sees only the description.",
            "temperature": "How different from each other they may be (0 is always the same).",
            "unseconded": "How sure a fix can be that no other one agrees with.",
            "promote": "How sure it must be before it replaces the tool.",
            "sessions": "In how many sessions the failure must have been seen.",
            "slower": "A fix that takes so many times longer is refused.",
            "attempts": "After so many failed repairs the tool is not tried again.",
            "replays": "How many recorded calls a fix must give the same results for.",
            "probation_uses": "How many calls a repaired tool is on trial.",
        },
    ),
    "learning": PolicyWords(
        "Learning by itself",
        LEARNING,
        JOB_FIELDS,
    ),
    "labels": PolicyWords(
        "What signs of right and wrong come to",
        LEARNING,
        LABEL_FIELDS,
    ),
    "tuning": PolicyWords(
        "Looking for better numbers",
        LEARNING,
        TUNING_FIELDS,
    ),
    "feedback": PolicyWords(
        "How far each sign of right or wrong is believed (0 to 1)",
        LEARNING,
        {
            "enabled": "Learn from what is said about results.",
            "corrected": "Somebody gave the right value.",
            "refused": "Somebody said that a result is wrong.",
            "confirmed": "Somebody said that a result is right.",
            "chosen": "Somebody chose one of two results.",
            "wrong_tool": "Somebody said that another tool was meant.",
            "undone": "A change was undone.",
            "agreed": "Another way gave the same result.",
            "outvoted": "Other ways gave another result.",
            "built_on": "The result was used in the next request.",
            "passed_over": "Another result was used instead.",
            "repeated": "The same words were asked again much later.",
            "asked_again": "The same was asked again in other words.",
            "unopposed": "Nobody said anything against it.",
            "abandoned": "The request was stopped.",
            "counts": "A sign that is believed less than this says nothing by itself.",
            "doubted": "How far somebody is believed who calls nearly everything wrong.",
            "doubted_after": "After so many refusals that is noticed.",
            "doubted_share": "Nearly everything means this share of the answers.",
            "asked_again_s": "The same request within so many seconds means it was not right.",
            "looks_back": "How many of your earlier requests a later one may say something about.",
        },
    ),
    "cache": PolicyWords(
        "Results that are known already",
        KEEPING,
        {
            "enabled": "Give a known result again without running the tool.",
            "ttl_s": "Seconds for which the result of a call is kept.",
            "memo_ttl_s": "Seconds for which the answer to a whole request is kept.",
            "solved_ttl_s": "Seconds for which an answer that no tool gave is kept.",
            "max_rows": "How many results are kept.",
        },
    ),
    "session": PolicyWords(
        "What a session keeps",
        KEEPING,
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
    "traces": PolicyWords(
        "Traces",
        KEEPING,
        {
            "keep_success_share": "Which share of the requests that went well is kept (1 is all).",
            "keep_days": "Days for which traces are kept.",
        },
    ),
    "evidence": PolicyWords(
        "What happened",
        KEEPING,
        {
            "keep_days": "Days for which requests, their steps and calls of tools are kept; what "
            "somebody judged stays.",
            "keep_calls": "How many of the last calls of each tool stay anyway.",
        },
    ),
}
WORDS |= {key: PolicyWords(one[0], LEARNING, one[1]) for key, one in TRACK_FIELDS.items()}
