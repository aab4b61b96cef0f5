"""The numbers of the tracks in words: prompts, tools, the product's own steps, fine-tuning."""

TRACK_FIELDS: dict[str, tuple[str, dict[str, str]]] = {
    "prompt_track": (
        "Searching for prompts",
        {
            "search_from": "From so many cases on a prompt is searched for; below, rewritten.",
            "rewrites": "How many texts a plain rewrite chooses from.",
            "trials": "How often a text may be tried on a case in one search.",
            "seconds": "Seconds that one search may take.",
            "side_by_side": "How many texts are made in one round.",
            "minibatch": "On so many cases a new text has to do better before all are tried.",
            "idle_rounds": "After so many rounds without a new text a search ends.",
            "most_chars": "Letters that instructions may have.",
            "most_examples": "Worked examples that a prompt may show.",
            "most_example_chars": "Letters that all examples of a prompt may have together.",
            "most_form_loss": "The share of replies of which no tool can be made any more that is "
            "accepted.",
            "most_rules": "Rules at the end of instructions; of more the oldest one goes.",
            "warmth": "How freely the model that writes texts may write (0 is not at all).",
        },
    ),
    "skill_track": (
        "Tools for what fails",
        {
            "repairs": "How many tools one attempt tries to mend.",
            "builds": "How many requests one attempt has tools made for.",
        },
    ),
    "harness": (
        "Experiments on its own steps",
        {
            "experiment_s": "Seconds that one experiment may take.",
            "experiments": "How many experiments are made for one program.",
            "least_gain": "A change has to gain more than this to be kept.",
            "most_edit_chars": "Letters that one change may add.",
        },
    ),
    "fine_tuning": (
        "Fine-tuning",
        {
            "least_score": "Only runs with at least this score are trained on.",
            "least_examples": "With fewer examples nothing is trained.",
            "least_general": "With fewer cases in the general suite nothing is trained.",
            "held_out_share": "Which share of the examples is held out.",
            "trainer_s": "Seconds that a trainer may take.",
            "trainer_bytes": "How much a trainer may write.",
            "spare_bytes": "How much stays free on the disk.",
            "most_general_loss": "The most that may be lost on the general suite.",
        },
    ),
}
