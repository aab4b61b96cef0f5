"""What memory knows that belongs to a request, found before anything is spent on it."""

from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import HammerstoneError
from hammerstone.guard.budget import Budget
from hammerstone.guard.data import as_data
from hammerstone.library.memory import Context, Memory, MemoryPolicy, MemoryRequest
from hammerstone.library.memory.tokens import cut
from hammerstone.library.policies import Policies
from hammerstone.prompts import load
from hammerstone.run.context import Run, RunModels
from hammerstone.run.understand.reading import read
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn


class Enrichment:
    """The request's surroundings, from memory."""

    def __init__(self, memory: Memory, models: RunModels, policies: Policies) -> None:
        self._memory = memory
        self._models = models
        self._policies = policies

    async def enrich(self, run: Run) -> Context:
        """The request's surroundings, also put into `run.context`; never asks a model.

        When the request only asked to remember or to forget something, that is done already and
        `told` is the answer.
        """
        request, memory = run.request, self._memory
        reading = read(request.text)
        asking = MemoryRequest(
            request.text,
            request.user,
            request.session_id,
            reading.refers_back,
            request.memory and request.personal,
            request.by_program,
            run.ledger.asked_at,
        )
        told = ""
        if reading.may_instruct:
            told = memory.told(asking, f"run {run.id[:8]}")
            if not told and (unkept := memory.not_kept(asking)):
                run.ledger.remarks.append(unkept)
                run.ledger.alone = False  # the same words of the person themselves are kept
        context = Context(told=told) if told else await memory.surroundings(asking)
        run.context = context
        if context != Context(told=told):
            with span("enrich", kind="step") as traced:
                traced.set("hammerstone.memory.rules", bool(context.rules))
                traced.set("hammerstone.memory.window", len(context.window))
                traced.set("hammerstone.memory.recalled", [one.run_id for one in context.recalled])
        if context.folded is not None and self._policies.get(MemoryPolicy).summary_by_model:
            memory.later(self._in_better_words(run, context.folded, context.summary))
        return context

    async def _in_better_words(self, run: Run, upto: int, summary: str) -> None:
        """A model's summary in place of the extract, with a budget of its own; nobody waits."""
        policy = self._policies.get(MemoryPolicy)
        budget = Budget(
            tokens=policy.summary_model_tokens, model_calls=1, steps=None, name="summary"
        )
        conversation = as_data("the conversation so far, oldest first", summary)
        prompt = Prompt(
            load("summarise").fill(conversation=conversation),
            max_tokens=policy.summary_tokens,
            purpose="summary",
        )
        try:
            model = self._models.of(run, Role.RESPONDER, budget)
            reply = await model.complete(prompt)
            text = cut(reply.text, policy.summary_tokens)
            if text:
                await self._memory.resummarise(run.request.session_id, upto, text, reply.model)
        except HammerstoneError as error:
            warn("the summary stays as it was extracted", error=str(error))
