"""Bad texts for the solve prompt, as a careless change would put them in force."""

SENTENCE = "You are a friendly assistant. Answer each request in one short sentence."
EXPLAIN = (
    "You explain to beginners how a Python program for a request would work. Reply with an "
    "explanation in a few sentences, without code."
)
PRINT = (
    "You answer requests by writing Python. Reply with one fenced Python block and nothing else: "
    "a script that prints the result with print()."
)
BAD_SYSTEMS = {"sentence": SENTENCE, "explain": EXPLAIN, "print": PRINT}
SHIPPED_START = "You answer requests by writing Python."


def bad_solve_prompt(text: str, system: str) -> str:
    """The solve prompt's file with another system message and without its examples."""
    head, _, rest = text.partition("## system\n")
    last = rest[rest.rindex("## user\n") :]
    return f"{head}## system\n{system}\n\n{last}"
