"""What a request needs: a computation, or something that no computation gives."""

from enum import StrEnum


class RequestKind(StrEnum):
    CALCULATION = "calculation"
    CONVERSATION = "conversation"
    LIVE_DATA = "needs live data"
    HARMFUL = "harmful"
