"""What went wrong at a provider, in the product's own words."""

from pydantic_ai import exceptions as foreign

from hammerstone.core.errors import (
    ModelError,
    ModelNonsense,
    ModelRefused,
    ModelUnavailable,
)

TRY_AGAIN = (
    foreign.ModelRateLimitError,
    foreign.ModelUnavailableError,
    foreign.ModelServerError,
    foreign.ModelConnectionError,
    foreign.ModelRequestTimeout,
)
TRY_AGAIN_STATUS = frozenset({408, 409, 425, 429})
SHOWN_CHARACTERS = 300


_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (foreign.ModelQuotaExceededError, "the account has no credit left"),
    (foreign.ModelAuthenticationError, "check the provider's API key"),
    (foreign.ModelNotFoundError, "check the model's name in HAMMERSTONE_MODEL"),
    (foreign.ModelContextWindowExceededError, "shorten the request or its files"),
)


def translated(error: Exception, model: str) -> ModelError:
    """The one error of ours that says the same. Nothing foreign leaves the models layer."""
    if isinstance(error, ModelError):
        return error
    text = f"{model}: {_short(error)}"
    hint = next((said for kind, said in _HINTS if isinstance(error, kind)), "")
    if isinstance(error, TRY_AGAIN) and not isinstance(error, foreign.ModelQuotaExceededError):
        return _unavailable(text, error)
    if hint:
        return ModelRefused(text, hint=hint)
    if isinstance(error, foreign.ModelHTTPError):
        again = error.status_code >= 500 or error.status_code in TRY_AGAIN_STATUS
        return _unavailable(text, error) if again else ModelRefused(text)
    if isinstance(error, foreign.ModelRequestRejectedError | foreign.UserError):
        return ModelRefused(text)
    if isinstance(error.__cause__, ValueError):  # JSON or text that could not be decoded
        return ModelNonsense(text)
    if isinstance(error, foreign.ModelAPIError | OSError):
        return _unavailable(text, error)
    if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
        return ModelUnavailable(text)
    # Whatever a parser in between stumbled over, the answer was not one.
    return ModelNonsense(text)


def _unavailable(text: str, error: Exception) -> ModelUnavailable:
    wait_s = getattr(error, "retry_after", None)
    return (
        ModelUnavailable(text) if wait_s is None else ModelUnavailable(text, retry_after_s=wait_s)
    )


def _short(error: Exception) -> str:
    if isinstance(error, foreign.ModelHTTPError):
        return f"answered {error.status_code}: {str(error.body)[:SHOWN_CHARACTERS]}"
    return (str(error) or type(error).__name__)[:SHOWN_CHARACTERS]
