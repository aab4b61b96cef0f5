"""Everything about triggers in one place; `hs.triggers`."""

from collections.abc import Awaitable, Callable, Mapping

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.app.books.sessionbook import FileBook
from hammerstone.app.triggers.answer_sending import AnswerSender
from hammerstone.app.triggers.chat_intake import ChatIntake
from hammerstone.app.triggers.chats import Chats
from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.deliverer import BY_HAND, Deliverer
from hammerstone.app.triggers.driver import TriggerDriver
from hammerstone.app.triggers.folder_watch import FolderWatch
from hammerstone.app.triggers.hook_door import HookDoor, HookReply
from hammerstone.app.triggers.payload import places_of
from hammerstone.app.triggers.schedules import DueSchedules, schedule_task
from hammerstone.app.triggers.trigger_runner import Ask, DeliveryFiles, RunnerParts, TriggerRunner
from hammerstone.app.triggers.triggerbook import TriggerBook
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.settings import Settings
from hammerstone.core.triggers import Delivery, Trigger, TriggerKind
from hammerstone.run.services import Services

FOLDER = "triggers"


class TriggerDesk:
    """What is set up (`book`), what comes in (`receive`), and what is done (`driver`)."""

    def __init__(
        self,
        services: Services,
        settings: Settings,
        people: PeopleBook,
        files: FileBook,
        ask: Ask,
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        records, guards = services.records, services.guards
        db, clock, policies = records.db, records.clock, guards.policies
        folder = settings.data_dir / FOLDER
        self.credentials = credentials = TriggerCredentials(folder / "credentials")
        self._db = db
        self._clock = clock
        self._settle = settle
        self._deliverer = Deliverer(db, clock, folder / "files")
        chats = Chats(credentials)
        folders = FolderWatch(db, self._deliverer, policies, clock, settings)
        self.book = TriggerBook(db, clock, people, credentials, folders)
        intake = ChatIntake(db, self._deliverer, policies, guards.desk, people, chats)
        self._door = HookDoor(db, clock, policies, credentials, self._deliverer, intake)

        async def fetch(id: str, user: str) -> tuple[object, bytes]:
            return await files.get(id, user=user)

        parts = RunnerParts(
            ask=ask,
            people=people,
            deliverer=self._deliverer,
            given=DeliveryFiles(chats, self._deliverer, settings),
            chats=chats,
            sender=AnswerSender(chats, credentials, clock, fetch),
        )
        self.runner = TriggerRunner(records, guards, parts)
        due = DueSchedules(db, self._deliverer, clock)
        self.driver = TriggerDriver(records, guards, self.runner, due, folders, (chats, intake))

    async def receive(self, name: str, headers: Mapping[str, str], body: bytes) -> HookReply:
        """What the public address of a trigger got: a webhook's call, or something of Slack's."""
        reply = await self._door.receive(name, headers, body)
        if reply.status < 300:
            self.driver.wake()
        return reply

    async def run(self, name: str) -> Delivery:
        """Set a trigger off by hand, once, and do it; what it came to.

        Raises `BadRequest` for one that needs a value, a file or a message to work on.
        """
        trigger = await self.book.get(name)
        _check_by_hand(trigger)
        id = self._deliverer.new_id()
        task = schedule_task(trigger, id)
        taken = await self._deliverer.take(trigger, f"{BY_HAND}{id}", task, id=id)
        done = await self.runner.do_next(taken.delivery.id)
        if done is None:  # another process was quicker
            done = await self._db.deliveries.find(taken.delivery.id)
        if done is None:
            raise NotFound(f"the trigger {name} was removed meanwhile")
        return done

    async def text_of(self, done: Delivery) -> str:
        """What a delivery's run said; empty where none ran."""
        await self._settle()
        row = await self._db.runs.find(done.run_id)
        document = row.answer if row is not None and isinstance(row.answer, dict) else {}
        return str(document.get("text") or "")

    async def work_off(self) -> list[Delivery]:
        """Take in what is due now and do everything that waits."""
        await self.driver.look()
        done: list[Delivery] = []
        while (one := await self.runner.do_next()) is not None:
            done.append(one)
        return done


def _check_by_hand(trigger: Trigger) -> None:
    needs = ""
    if trigger.kind.is_chat:
        needs = "a message"
    elif trigger.kind is TriggerKind.FOLDER:
        needs = "a file"
    elif trigger.kind is TriggerKind.WEBHOOK and places_of(trigger.request):
        needs = "a payload"
    if needs:
        raise BadRequest(
            f"{trigger.name} works on {needs}, so it cannot be set off without one",
            hint="send it one, and look at: hammerstone triggers log " + trigger.name,
        )
