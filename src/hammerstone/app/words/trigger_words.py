"""What each number of the policy for triggers is, in words for the people who change them."""

TRIGGER_FIELDS = {
    "look_every_s": "Seconds between two looks for times that are due and for new files.",
    "side_by_side": "How many of their requests are worked on at once in one process.",
    "lease_s": "Seconds after which another process may go on with a request.",
    "attempts": "How often one request is tried.",
    "retry_s": "Seconds before the second try.",
    "clock_slack_s": "Seconds that a sender's clock may be off.",
    "settle_s": "Seconds that a file has to stay the same before it counts.",
    "most_files": "The most files that a watched folder may have.",
    "message_chars": "How many characters of a chat message are read.",
    "loop_messages": "So many messages in one conversation within the time below count as a loop.",
    "loop_within_s": "The time for that, in seconds.",
    "progress_every_s": "Seconds between two changes of the message about progress.",
    "keep_days": "Days that the log of triggers is kept.",
    "history_days": "Days that the numbers of their answers are kept.",
    "unusual_after": "How many values there must be before one can be unusual.",
    "unusual_spread": "How many usual spreads from the middle a value may be.",
}
