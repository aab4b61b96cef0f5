"""The kinds and states of changes as people read them, in the words of the web app."""

KINDS = {
    "build": "new tool",
    "repair": "repair",
    "composite": "joined tools",
    "merge": "same tool twice",
    "edit": "edited by hand",
    "examination": "examined again",
    "trust": "trusted",
    "retirement": "out of use",
    "policy": "setting",
    "prompt": "own prompt",
    "skill": "skill",
    "lesson": "search",
    "adapter": "adapter",
    "harness": "own steps",
}
STATES = {
    "promoted": "in use",
    "probation": "on trial",
    "proposed": "waits for you",
    "waiting": "waits for you",
    "promoting": "being done",
    "rolled back": "taken back",
    "quarantined": "given up",
}


def kind_words(kind: str) -> str:
    return KINDS.get(kind, kind)


def state_words(state: str) -> str:
    return STATES.get(state, state)
