"""What this backend cannot do, by the names of the probes that show it."""

GAPS: dict[str, str] = {
    "files.see_metadata": (
        "Landlock does not govern stat: code can learn that a path it guesses exists, and its "
        "size and times; it cannot list, open or change it"
    ),
}
