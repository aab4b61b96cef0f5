"""What each number of evolution is, in words for the people who change them."""

from hammerstone.app.words.policy_titles import LEARNING, PolicyWords

JUDGE_FIELDS = {
    "failed_below": "A request with a lower score counts as failed.",
    "unknown": "The score of an answer about which nothing is known.",
    "confirmed": "How far an independent confirmation of an answer is believed.",
    "use_model": "Whether a model is asked where the record leaves it open.",
    "ask_above": "Only answers with a higher score than this are shown to a model.",
    "ask_below": "Only answers with a lower score than this are shown to a model.",
    "least_skill": "A model that tells right from wrong less well than this does not count.",
    "control_cases": "How many answers of known truth a model must have judged before it counts.",
    "traces_share": "The share of good requests whose traces are judged beside all failed ones.",
    "every_hours": "Hours between two turns in which requests are judged by themselves.",
    "feedback_hours": "How many hours a request waits for what you say about it.",
    "back_days": "Requests that ended more days ago are not judged by themselves.",
    "most_at_once": "How many requests are judged in one turn.",
}
SIGNAL_FIELDS = {
    "persisting": "From this share of failures that outlive new prompts, prompts are no help.",
    "prompt_rounds": "After how many new texts of a prompt a failure counts as lasting.",
    "right_tool": "From this share of failures with the right tool, the model is the limit.",
    "knowledge_gap": "From this share of failures that lack a fact, documents are recommended.",
    "one_domain": "From this share of failures of one kind, the model may be trained for it.",
    "harness": "From this share of failures in its own steps, those are worth changing.",
    "examples": "How many good requests training a model needs.",
    "enough_average": "At this average score nothing is done.",
    "worth": "The share of failures that a way to get better must address to be tried.",
}
EVOLUTION_FIELDS = {
    "prompt": "Whether it may try other texts for its prompts.",
    "skill": "Whether it may build and repair tools for what fails.",
    "harness": "Whether it may try changes of its own steps.",
    "knowledge": "Whether it may add documents from a folder that you name.",
    "fine_tuning": "Whether it may train the model, with your approval each time.",
    "rounds": "How many rounds may follow each other, while each one keeps something.",
    "review": "Whether what wins waits for you.",
    "tokens": "Tokens (pieces of words) that one round may cost.",
    "seconds": "Seconds that one round may take.",
    "usd": "Dollars that one round may cost.",
    "least_cases": "How many different tests a suite needs before anything is tried.",
    "train_share": "The share of a suite that is searched on.",
    "validation_share": "The share of a suite that is chosen on; the rest proves.",
    "sample": "How many requests are shown to you after each round.",
    "least_agreement": "If you agree with the judge less often, nothing is kept without you.",
}
MONITOR_FIELDS = {
    "enabled": "Whether suites are run by themselves.",
    "continuous": "Whether it starts to get better by itself; otherwise it tells you.",
    "every_hours": "Hours between two looks at a suite.",
    "evolve_below": "Below this average it is time to get better.",
    "low_errors": "How surely it must be below: in standard errors.",
    "short_days": "How many of the last days are compared.",
    "long_days": "With how many days before.",
    "alarm": "The chance of a false alarm that is accepted.",
    "least_change": "How far a test's score must move to count as better or worse.",
    "outage_share": "If more tests than this have no answer, nothing is concluded.",
    "pause_hours": "Hours between two attempts at one suite.",
}
EVOLUTION_WORDS = {
    "judges": PolicyWords("How requests are judged", LEARNING, JUDGE_FIELDS),
    "signals": PolicyWords("What failures say", LEARNING, SIGNAL_FIELDS),
    "evolution": PolicyWords("Getting better by itself", LEARNING, EVOLUTION_FIELDS),
    "monitor": PolicyWords("Watching suites", LEARNING, MONITOR_FIELDS),
}
