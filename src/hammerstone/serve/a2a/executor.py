"""One A2A task is one request; a context of theirs is a session of ours."""

from a2a.helpers import get_message_text, new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import TaskState

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import AnswerStatus, Event
from hammerstone.core.errors import HammerstoneError
from hammerstone.run.request import AskOptions
from hammerstone.serve.a2a.tasks import may_build, owner_of


class RequestExecutor(AgentExecutor):
    def __init__(self, hs: Hammerstone) -> None:
        self._hs = hs

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer the message; steps are status updates, the result is an artifact."""
        message = context.message
        assert message is not None
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)

        async def tell(event: Event) -> None:
            told = updater.new_agent_message([new_text_part(event.text)])
            await updater.update_status(TaskState.TASK_STATE_WORKING, told)

        user = owner_of(context.call_context) if context.call_context else ""
        try:
            answer = await self._hs.ask(
                get_message_text(message),
                session=task.context_id,
                on_event=tell,
                options=AskOptions(
                    user=user or None, by_program=True, keep=may_build(context.call_context)
                ),
            )
        except HammerstoneError as error:
            told = updater.new_agent_message([new_text_part(f"{error.message}. {error.hint}")])
            await updater.failed(told)
            return
        said = updater.new_agent_message([new_text_part(answer.text)])
        if answer.status is AnswerStatus.QUESTION:
            await updater.requires_input(said)
            return
        if answer.status is AnswerStatus.FAILED:
            await updater.failed(said)
            return
        document = {"result": answer.result, "tool": answer.tool, "trace_id": answer.trace_id}
        await updater.add_artifact(
            [new_text_part(answer.text), new_data_part(document)], name="answer"
        )
        await updater.complete(said)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """The framework cancels `execute` itself, which stops the run; here it is only told."""
        assert context.task_id is not None and context.context_id is not None
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()
