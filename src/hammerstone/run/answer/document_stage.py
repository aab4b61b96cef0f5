"""The stage that looks into the documents, before anything is solved anew."""

from hammerstone.core.answers import Answer, EventKind
from hammerstone.library.documents import Documents
from hammerstone.library.documents.reading.read_document import DocumentKind
from hammerstone.library.skills.generate import DOCUMENTS
from hammerstone.run.answer.from_documents import DocumentAnswers, nothing_near
from hammerstone.run.answer.wording import failed
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.stages import Work
from hammerstone.storage.stores.library.documents import DocumentRow


class ConsultStage:
    """Answers from documents, where no tool is certain or the person asks for them.

    What a table would answer is left to the solver, with the table's file at hand.
    """

    def __init__(self, documents: Documents, answers: DocumentAnswers) -> None:
        self._documents = documents
        self._answers = answers

    async def __call__(self, work: Work) -> Answer | None:
        plan, run = work.plan, work.run
        if plan is None or work.given is not None or len(plan.steps) > 1:
            return None
        asked_for = plan.last.skill == DOCUMENTS
        if (run.files or plan.named) and not asked_for:
            return None
        if not (run.seen.documents and await self._documents.any(run.request.user)):
            return failed(run, "There are no documents to look into.") if asked_for else None
        if table := await self._table_named(run):
            return await self._solve_over(work, table)
        if not _open(plan):
            return None
        return await self._consulted(work, asked_for=asked_for)

    async def _consulted(self, work: Work, *, asked_for: bool) -> Answer | None:
        """What the documents have for the words, if they are about them or were asked for."""
        run, policy = work.run, self._documents.policy
        found = await self._answers.look(run)
        if found is None:
            return nothing_near(run) if asked_for else None
        if found.table is not None and found.about >= policy.about_from:
            row = await self._documents.get(found.table.document_id, run.request.user)
            return await self._solve_over(work, row)
        if not asked_for and found.about < policy.about_from / 2:
            return None
        return await self._answers.answer(run, found, asked_for=asked_for)

    async def _table_named(self, run: Run) -> DocumentRow | None:
        """The one table that the words call by its file's name."""
        named = await self._documents.mentioned(run.words, run.request.user)
        tables = [row for row in named if row.kind == DocumentKind.TABLE]
        return tables[0] if len(tables) == 1 else None

    async def _solve_over(self, work: Work, row: DocumentRow) -> None:
        """Leave the request to the solver, with the table's file at hand."""
        file = self._documents.file_of(row)
        if not file.is_file():
            return
        work.run = work.run.with_files((file,))
        work.run.ledger.alone = False  # the file is no part of the request's own key
        text = f"found the table {row.path} in the documents"
        await work.run.say(EventKind.TOOL_FOUND, text, skill=DOCUMENTS)
        step = PlanStep("1", work.run.words, unfit=True)
        work.plan = Plan(Strategy.SOLVING, (step,), text)


def _open(plan: Plan) -> bool:
    """Whether a plan leaves room for documents: no tool is certain."""
    step = plan.last
    if plan.strategy is Strategy.BUILDING:
        return False
    if plan.strategy is Strategy.SKILL:
        return step.skill == DOCUMENTS
    return step.tool is None or step.beside_solution
