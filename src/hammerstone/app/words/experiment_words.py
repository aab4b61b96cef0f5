"""What the numbers of experiments mean, for the people who change them."""

EXPERIMENT_FIELDS = {
    "alpha": "The chance of ever calling two variants different that are not.",
    "guard_alpha": "The same chance for what may not get worse.",
    "min_units": "How many sessions each variant needs before anything is concluded.",
    "session_hours": "After so many hours a session counts, with what it did until then.",
    "person_share": "The share of all sessions that may be one person's, where there are others.",
    "sharpest_units": "After so many sessions, what is known is most exact.",
    "max_days": "How many days an experiment may take, where it does not say so itself.",
    "most_variants": "How many variants one experiment may compare.",
}
