"""Says in the log that tracing itself has a problem."""


def warn(event: str, **fields: str) -> None:
    """One warning line. structlog is imported here: it takes longer than all of tracing."""
    import structlog

    structlog.get_logger("hammerstone.tracing").warning(event, **fields)
