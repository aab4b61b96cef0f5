"""Messages and pressed buttons of chats, each taken in once, or turned away with a reason."""

from dataclasses import asdict

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.app.triggers.chats import Chats, conversation_of, listed
from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.connectors.chats.chat import ButtonPress, ChatGone, ChatMessage
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.people import Right
from hammerstone.core.triggers import Delivery, Trigger, TriggerTask
from hammerstone.guard.approvals import ApprovalDesk
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

_LONG_ENOUGH = 20


class ChatIntake:
    def __init__(
        self,
        db: Database,
        deliverer: Deliverer,
        policies: Policies,
        desk: ApprovalDesk,
        people: PeopleBook,
        chats: Chats,
    ) -> None:
        self._db = db
        self._deliverer = deliverer
        self._policies = policies
        self._desk = desk
        self._people = people
        self._chats = chats

    async def hear(
        self, trigger: Trigger, message: ChatMessage, session: str = ""
    ) -> Delivery | None:
        """Take a message in; None where it starts nothing, which the log says.

        Its thread is its session, unless it is known to belong to another one.
        """
        alone = message.key if message.command else ""
        session = session or conversation_of(trigger, message.place, alone)
        if not await self._is_meant(trigger, message, session):
            return None
        policy = self._policies.get(TriggerPolicy)
        if await self._deliverer.looping(session, policy.loop_messages, policy.loop_within_s):
            await self._deliverer.refuse(
                trigger.name,
                f"a loop in {message.place.channel}: {policy.loop_messages} messages within "
                f"{policy.loop_within_s:g} s in one conversation; the rest is not answered",
            )
            return None
        text, remark = _read_part(message.text, policy.message_chars)
        files: list[Json] = [asdict(one) for one in message.files]
        place: JsonObject = {
            "channel": message.place.channel,
            "thread": message.place.thread,
            "sender": message.sender,
            "files": files,
        }
        before = f"{trigger.request}\n" if trigger.request else ""
        task = TriggerTask(trigger.name, before + text, session, (), place, remark)
        taken = await self._deliverer.take(trigger, f"chat:{message.key}", task)
        return taken.delivery if taken.new else None

    async def press(self, trigger: Trigger, press: ButtonPress) -> str:
        """Do what a button is for; what happened, in words. A choice goes on as a message."""
        what, _, value = press.value.partition(":")
        if what == "say":
            choice, _, session = value.partition(":")
            if not await self._db.deliveries.of_session(trigger.name, session):
                return "that question was asked elsewhere"
            said = ChatMessage(press.key, press.place, press.sender, choice)
            await self.hear(trigger, said, session)
            return f"you chose {choice}"
        if what not in ("give", "refuse"):
            return "that button is not known"
        done = await self._decide(trigger, press, value, allow=what == "give")
        try:
            if press.message:
                await self._chats.of(trigger).edit(press.place, press.message, done)
        except (ChatGone, ServiceDown, NotFound):
            pass  # the decision counts, whether or not the message can be changed
        return done

    async def _decide(self, trigger: Trigger, press: ButtonPress, id: str, *, allow: bool) -> str:
        """Only the trigger's person decides, by their ids in the chat, and only on what was asked
        by this trigger."""
        if press.sender not in listed(trigger, "people"):
            await self._deliverer.refuse(
                trigger.name, f"{press.sender} pressed a button that only its person may press"
            )
            raise BadRequest("only the person of this trigger may decide that")
        caller = await self._people.by_name(trigger.user)
        if caller is None:
            raise BadRequest(f"{trigger.user} has no access any more")
        if allow:
            caller.require(Right.BUILD, "allow actions")
        asked = await self._desk.get(id, user=trigger.user)
        if not await self._db.deliveries.of_session(trigger.name, asked.session_id):
            raise BadRequest("that was asked elsewhere")
        who = f"{trigger.user} ({trigger.kind})"
        if allow:
            await self._desk.give(id, who=who, user=trigger.user)
            return "Allowed."
        await self._desk.refuse(id, who=who, user=trigger.user)
        return "Not allowed."

    async def _is_meant(self, trigger: Trigger, message: ChatMessage, session: str) -> bool:
        name = trigger.name
        if message.from_bot:
            await self._deliverer.ignore(name, "a message of a bot: answering it could be a loop")
            return False
        allowed = listed(trigger, "channels")
        if allowed and message.place.channel not in allowed:
            place = message.place.channel
            await self._deliverer.refuse(name, f"{place} is not among the trigger's channels")
            return False
        if not message.text and not message.files:
            return False
        if not message.addressed and not await self._db.deliveries.of_session(name, session):
            return False  # others talk to each other
        return not await self._echoes(trigger, message, session)

    async def _echoes(self, trigger: Trigger, message: ChatMessage, session: str) -> bool:
        """Whether the message is what was answered here a moment ago, sent back."""
        before = await self._db.messages.recent(session, 2)
        said = [one.text.strip() for one in before if one.author == "assistant"]
        text = message.text.strip()
        # A short value may be a person's own word; with what is said beside it, it is ours.
        same = [one for one in said if text == one and len(one) >= _LONG_ENOUGH]
        if not same and not any(text.startswith(f"{one}\n(") for one in said):
            return False
        await self._deliverer.refuse(
            trigger.name, f"a loop in {message.place.channel}: its own answer came back"
        )
        return True


def _read_part(text: str, most: int) -> tuple[str, str]:
    """As much of a message as is read, and what the answer says about the rest."""
    if len(text) <= most:
        return text, ""
    remark = f"Your message has {len(text):,} characters; I read the first {most:,}."
    return text[:most], remark
