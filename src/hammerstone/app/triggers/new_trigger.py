"""A trigger before it is kept: what it needs by its kind, checked before anything is stored."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from hammerstone.app.triggers.payload import checked_template
from hammerstone.app.triggers.schedules import checked_cron, checked_zone
from hammerstone.connectors.webhooks import new_secret
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.triggers import (
    AnswerPlace,
    Destination,
    Trigger,
    TriggerKind,
    TriggerLimits,
    checked_trigger_name,
)
from hammerstone.guard.maturity import as_level
from hammerstone.guard.request import check_request

SECRET, SIGNING, TOKEN = "secret", "signing secret", "token"  # names, not values


@dataclass(frozen=True, slots=True)
class NewTrigger:
    """What somebody wants to add. `credentials` never leave for the database."""

    name: str
    kind: TriggerKind
    request: str = ""
    config: Mapping[str, Json] = field(default_factory=dict[str, Json])
    limits: TriggerLimits = field(default_factory=TriggerLimits)
    answers: str = ""  # empty: the channel of a chat, else the log
    user: str | None = None  # None: whoever adds it
    credentials: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class AddedTrigger:
    """A trigger that was just added. `secret` is made here and told this once."""

    trigger: Trigger
    secret: str = field(default="", repr=False)


def checked(new: NewTrigger) -> NewTrigger:
    """The trigger with every value as it is kept; raises `BadRequest` for what cannot work."""
    checked_trigger_name(new.name)
    config, credentials = _KINDS[new.kind](new)
    destination = new.answers or ("channel" if new.kind.is_chat else "log")
    _check_destination(Destination.parse(destination), new.kind)
    _check_limits(new.limits)
    return NewTrigger(
        new.name,
        new.kind,
        new.request.strip(),
        config,
        new.limits,
        destination,
        new.user,
        credentials,
    )


def _webhook(new: NewTrigger) -> tuple[JsonObject, dict[str, str]]:
    checked_template(new.request)
    given = new.credentials.get(SECRET)
    if given is not None and len(given) < 24:
        raise BadRequest("a secret of less than 24 characters can be guessed")
    attached: JsonObject = {
        name: bool(new.config.get(name, False)) for name in ("attach_payload", "attach_files")
    }
    return attached, {SECRET: given or new_secret()}


def _schedule(new: NewTrigger) -> tuple[JsonObject, dict[str, str]]:
    check_request(new.request)
    cron = checked_cron(str(new.config.get("cron") or ""))
    zone = str(new.config.get("zone") or "UTC")
    checked_zone(zone)
    listed = new.config.get("files") or []
    files: list[Json] = [str(_existing(str(one))) for one in _texts(listed)]
    return {"cron": cron, "zone": zone, "files": files}, {}


def _folder(new: NewTrigger) -> tuple[JsonObject, dict[str, str]]:
    check_request(new.request)
    folder = _existing(str(new.config.get("folder") or ""))
    if not folder.is_dir():
        raise BadRequest(f"{folder} is not a folder", hint="name the folder, not a file in it")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise BadRequest(f"{folder} cannot be read", hint="check its permissions")
    pattern = str(new.config.get("pattern") or "*")
    existing = bool(new.config.get("existing", False))
    return {"folder": str(folder), "pattern": pattern, "existing": existing}, {}


def _slack(new: NewTrigger) -> tuple[JsonObject, dict[str, str]]:
    credentials = _needed(new, {SIGNING: "--signing-secret", TOKEN: "--bot-token"})
    return _chat(new), credentials


def _telegram(new: NewTrigger) -> tuple[JsonObject, dict[str, str]]:
    credentials = _needed(new, {TOKEN: "--bot-token"})
    config = _chat(new)
    if not config["channels"]:
        raise BadRequest(
            "anybody can write to a bot on Telegram, so its chats have to be named",
            hint="--channel ID; the trigger's log tells the ID of a chat that was turned away",
        )
    return config, credentials


def _chat(new: NewTrigger) -> JsonObject:
    config: JsonObject = {
        "channels": [*_texts(new.config.get("channels") or [])],
        "people": [*_texts(new.config.get("people") or [])],
    }
    api = str(new.config.get("api") or "")
    if api:
        config["api"] = _address(api)
    return config


_KINDS: dict[TriggerKind, Callable[[NewTrigger], tuple[JsonObject, dict[str, str]]]] = {
    TriggerKind.WEBHOOK: _webhook,
    TriggerKind.SCHEDULE: _schedule,
    TriggerKind.FOLDER: _folder,
    TriggerKind.SLACK: _slack,
    TriggerKind.TELEGRAM: _telegram,
}


def _needed(new: NewTrigger, options: Mapping[str, str]) -> dict[str, str]:
    found = {name: (new.credentials.get(name) or "").strip() for name in options}
    for name, option in options.items():
        if not found[name]:
            raise BadRequest(f"the {name} of the app is needed", hint=f"{option} FILE")
    return found


def _check_destination(destination: Destination, kind: TriggerKind) -> None:
    if destination.place is AnswerPlace.CHANNEL and not kind.is_chat:
        raise BadRequest(
            f"a {kind} has no channel for answers", hint="log, url:ADDRESS or folder:PATH"
        )
    if destination.place is AnswerPlace.URL:
        _address(destination.target)
    if destination.place is AnswerPlace.FOLDER and not Path(destination.target).is_absolute():
        raise BadRequest(f"{destination.target} is not a whole path", hint="begin with /")


def _check_limits(limits: TriggerLimits) -> None:
    if limits.level is not None:
        as_level(limits.level)
    for value in (limits.runs_a_day, limits.tokens_a_day, limits.usd_a_day):
        if value is not None and value <= 0:
            raise BadRequest("a limit of a day must be more than 0", hint="pause the trigger")


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise BadRequest(f"{text[:80]!r} is no address", hint="https://...")
    return text


def _existing(text: str) -> Path:
    path = Path(text).expanduser()
    if not text or not path.exists():
        raise BadRequest(f"there is no {text or 'folder'}", hint="check the path")
    return path.absolute()


def _texts(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
