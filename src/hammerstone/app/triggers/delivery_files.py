"""The files that a trigger's request works on, fetched when it begins."""

from pathlib import Path

from hammerstone.app.triggers.chats import Chats
from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.connectors.chats.chat import ChatFile
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import is_dict, is_list
from hammerstone.core.settings import Settings
from hammerstone.core.triggers import Delivery, Trigger, TriggerKind, TriggerTask

_MOST_FILES = 20


class DeliveryFiles:
    """The files that come with a delivery: of a watched folder, a chat message or a webhook."""

    def __init__(self, chats: Chats, deliverer: Deliverer, settings: Settings) -> None:
        self._chats = chats
        self._deliverer = deliverer
        self._most_bytes = settings.max_upload_bytes

    async def files(self, trigger: Trigger, delivery: Delivery, task: TriggerTask) -> list[str]:
        """Where they are; raises `BadRequest` for one that is gone or too large."""
        if trigger.kind is TriggerKind.SCHEDULE:
            return _scheduled(trigger)
        if trigger.kind.is_chat:
            return await self._from_chat(trigger, delivery, task)
        return list(task.files)

    async def _from_chat(
        self, trigger: Trigger, delivery: Delivery, task: TriggerTask
    ) -> list[str]:
        listed = task.place.get("files")
        found: list[str] = []
        for one in listed if is_list(listed) else []:
            if not is_dict(one) or len(found) >= _MOST_FILES:
                continue
            file = ChatFile(str(one["name"]), str(one["where"]), int(one["size_bytes"]))
            content = await self._chats.of(trigger).download(file, self._most_bytes)
            name = Path(file.name.replace("\\", "/")).name.lstrip(".") or "file"
            folder = self._deliverer.files_of(delivery.id)
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / name).write_bytes(content)
            found.append(str(folder / name))
        return list(dict.fromkeys(found))


def _scheduled(trigger: Trigger) -> list[str]:
    listed = trigger.config.get("files")
    found: list[str] = []
    for one in listed if is_list(listed) else []:
        path = Path(str(one))
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and not p.is_symlink())
            found += [str(p) for p in inside if not p.name.startswith(".")]
        elif path.is_file():
            found.append(str(path))
        else:
            raise BadRequest(f"{path} is gone", hint="check the path of the trigger")
    if len(found) > _MOST_FILES:
        raise BadRequest(f"there are {len(found)} files; at most {_MOST_FILES} are read")
    return found
