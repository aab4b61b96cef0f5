"""Every way Hammerstone says "I cannot go on".

    HammerstoneError
    ├── BadRequest            the person's input cannot be used
    ├── NotFound              a tool, version, session or trace that does not exist
    ├── SettingsError         configuration that cannot be read or contradicts itself
    ├── DataDirectoryError    the data directory cannot be used (rights, disk full)
    ├── StorageError          the database cannot be used
    │   ├── DatabaseTooNew    it was written by a newer version
    │   ├── ToolDamaged       a tool's version is not what was stored: it is not run
    │   └── DatabaseDamaged   its file is not what was written: nothing more is written to it
    ├── ModelError            a model cannot answer
    │   ├── ModelMissing      no model is configured or present
    │   ├── ModelUnavailable  down, overloaded, timed out: worth trying again
    │   ├── ModelRefused      the provider said no: wrong key, unknown model, bad request
    │   └── ModelNonsense     it answered, but not what was asked for
    ├── PullError             a model file could not be fetched
    │   └── WrongHash         what was fetched is not what was promised
    ├── SandboxError          the sandbox cannot run code
    │   ├── SandboxRefused    a required control is missing
    │   └── SandboxLost       the sandbox died during a call: worth trying again
    ├── Overloaded            too much waits already: try again after a while
    ├── BudgetExceeded        the next step would cost more than allowed
    ├── Refused               a guard said no: permission, scan, loop, approval
    ├── Stopped               the stop switch is on: nothing goes on until it is resumed
    └── TakenOver             another process does this work now: nothing is written here

An expected failure (a failed tool, a failing test, a refused proposal) is a value, not one
of these. Each error has a stable `code`, a text for the person, and a `hint` that says what
to do next. Data travels as attributes.
"""

from typing import Any, ClassVar


class HammerstoneError(Exception):
    """Base of every error the product raises on purpose."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data

    def __str__(self) -> str:
        return self.message


class BadRequest(HammerstoneError):
    code = "bad_request"
    exit_code = 2


class NotFound(HammerstoneError):
    code = "not_found"
    exit_code = 4


class SettingsError(HammerstoneError):
    code = "settings"
    exit_code = 2


class DataDirectoryError(HammerstoneError):
    code = "data_directory"
    exit_code = 5


class StorageError(HammerstoneError):
    code = "storage"
    exit_code = 5


class DatabaseTooNew(StorageError):
    code = "database_too_new"


class ToolDamaged(StorageError):
    code = "tool_damaged"


class DatabaseDamaged(StorageError):
    code = "database_damaged"


class ModelError(HammerstoneError):
    code = "model"
    exit_code = 6


class ModelMissing(ModelError):
    code = "model_missing"


class ModelUnavailable(ModelError):
    """`retry_after_s` is in `data` when the provider said how long to wait."""

    code = "model_unavailable"


class ModelRefused(ModelError):
    code = "model_refused"


class ModelNonsense(ModelError):
    code = "model_nonsense"


class PullError(HammerstoneError):
    code = "pull"
    exit_code = 6


class WrongHash(PullError):
    code = "wrong_hash"


class SandboxError(HammerstoneError):
    code = "sandbox"
    exit_code = 7


class SandboxRefused(SandboxError):
    code = "sandbox_refused"


class SandboxLost(SandboxError):
    code = "sandbox_lost"


class Overloaded(HammerstoneError):
    """`retry_after_s` in `data` says after how long it is worth trying again."""

    code = "overloaded"
    exit_code = 10


class BudgetExceeded(HammerstoneError):
    code = "budget_exceeded"
    exit_code = 8


class Refused(HammerstoneError):
    code = "refused"
    exit_code = 9


class Stopped(HammerstoneError):
    """Not a `Refused`: what goes on in another way after a no must not go on after this."""

    code = "stopped"
    exit_code = 9


class TakenOver(HammerstoneError):
    """Not a failure of the work: whoever has taken it over goes on with it."""

    code = "taken_over"
    exit_code = 9
