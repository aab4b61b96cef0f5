"""Telegram's Bot API, through python-telegram-bot; it asks for news, so it needs no address."""

from collections.abc import Sequence
from typing import Any

from hammerstone.connectors.chats.chat import (
    ButtonPress,
    ChatButton,
    ChatFile,
    ChatGone,
    ChatMessage,
    ChatPlace,
    cut_message,
)
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.errors import BadRequest, SettingsError

API = "https://api.telegram.org"
_LONGEST = 4_096
_TIMEOUT_S = 20.0


class TelegramChat:
    """`ChatService` on Telegram; `news` are messages and pressed buttons since the last ones."""

    def __init__(self, token: str, api: str = API) -> None:
        try:
            import telegram
            from telegram.request import HTTPXRequest
        except ImportError:
            raise SettingsError(
                "the library for Telegram is not installed", hint="pip install 'hammerstone[chat]'"
            ) from None
        self._telegram: Any = telegram
        base = api.rstrip("/")
        self._lines = tuple(
            HTTPXRequest(read_timeout=_TIMEOUT_S, connect_timeout=5.0) for _ in range(2)
        )
        self._bot: Any = telegram.Bot(
            token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._lines[0],
            get_updates_request=self._lines[1],
        )

    async def news(
        self, after: int | None, wait_s: int
    ) -> tuple[list[ChatMessage | ButtonPress], int | None]:
        """What was sent, and the number to ask on from. Asking on tells Telegram that everything
        before was taken, so it is asked only once that is stored."""
        updates = await self._call(
            self._bot.get_updates,
            offset=after,
            timeout=wait_s,
            allowed_updates=["message", "callback_query"],
        )
        found = [one for update in updates if (one := _read(update)) is not None]
        return found, (updates[-1].update_id + 1 if updates else after)

    async def post(self, place: ChatPlace, text: str, buttons: Sequence[ChatButton] = ()) -> str:
        sent = await self._call(
            self._bot.send_message,
            chat_id=place.channel,
            message_thread_id=int(place.thread) if place.thread else None,
            text=cut_message(text, _LONGEST),
            reply_markup=self._keyboard(buttons),
        )
        return str(sent.message_id)

    async def edit(
        self, place: ChatPlace, message: str, text: str, buttons: Sequence[ChatButton] = ()
    ) -> None:
        try:
            await self._call(
                self._bot.edit_message_text,
                chat_id=place.channel,
                message_id=int(message),
                text=cut_message(text, _LONGEST),
                reply_markup=self._keyboard(buttons),
            )
        except ChatGone as error:
            if "not modified" not in error.message:
                raise

    async def upload(self, place: ChatPlace, name: str, content: bytes) -> None:
        await self._call(
            self._bot.send_document,
            chat_id=place.channel,
            message_thread_id=int(place.thread) if place.thread else None,
            document=content,
            filename=name,
        )

    async def download(self, file: ChatFile, most_bytes: int) -> bytes:
        if file.size_bytes > most_bytes:
            raise BadRequest(f"{file.name} is larger than {most_bytes:,} bytes")
        found = await self._call(self._bot.get_file, file.where)
        content = bytes(await self._call(found.download_as_bytearray))
        if len(content) > most_bytes:
            raise BadRequest(f"{file.name} is larger than {most_bytes:,} bytes")
        return content

    async def close(self) -> None:
        for line in self._lines:  # the bot itself closes only what it has opened
            await line.shutdown()

    def _keyboard(self, buttons: Sequence[ChatButton]) -> Any:
        if not buttons:
            return None
        made = self._telegram.InlineKeyboardButton
        rows = [[made(one.label[:60], callback_data=one.value[:64])] for one in buttons]
        return self._telegram.InlineKeyboardMarkup(rows)

    async def _call(self, method: Any, *values: Any, **named: Any) -> Any:
        error = self._telegram.error
        try:
            return await method(*values, **named)
        except (error.Forbidden, error.InvalidToken, error.ChatMigrated) as told:
            raise ChatGone(f"Telegram says: {_without_token(told)}") from None
        except error.BadRequest as told:
            raise ChatGone(f"Telegram says: {_without_token(told)}") from None
        except error.TelegramError as told:
            raise ServiceDown(f"Telegram cannot be reached: {_without_token(told)}") from None


def _without_token(error: Exception) -> str:
    """What the library says; an address in it would hold the token."""
    said = str(error)
    return type(error).__name__ if "/bot" in said else said


def _read(update: Any) -> ChatMessage | ButtonPress | None:
    press = update.callback_query
    if press is not None:
        if press.message is None or not press.data:
            return None
        place = _place(press.message)
        sender, message = str(press.from_user.id), str(press.message.message_id)
        return ButtonPress(f"press:{press.id}", place, sender, str(press.data), message)
    message = update.message
    if message is None:
        return None
    files: list[ChatFile] = []
    if message.document is not None:
        document = message.document
        name = document.file_name or "document"
        files.append(ChatFile(name, document.file_id, document.file_size or 0))
    if message.photo:
        largest = message.photo[-1]
        files.append(ChatFile("photo.jpg", largest.file_id, largest.file_size or 0))
    sender = message.from_user
    return ChatMessage(
        key=f"{message.chat.id}:{message.message_id}",
        place=_place(message),
        sender=str(sender.id) if sender else "",
        text=(message.text or message.caption or "").strip(),
        files=tuple(files),
        from_bot=bool(sender and sender.is_bot),
    )


def _place(message: Any) -> ChatPlace:
    topic = message.message_thread_id if getattr(message, "is_topic_message", False) else None
    return ChatPlace(str(message.chat.id), str(topic) if topic else "")
