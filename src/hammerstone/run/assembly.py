"""The answerer, put together: each part gets the services that it works with."""

from hammerstone.core.seams import Listener, Repairer
from hammerstone.run.act.approval import PermissionRequests, Questions
from hammerstone.run.act.carry_out import PlanRunner, StepRunner, StepServices
from hammerstone.run.act.clarify import Clarification
from hammerstone.run.act.execute import ToolCalls, ToolReuse
from hammerstone.run.act.near_tools import NearTools
from hammerstone.run.act.outside import OutsideServices
from hammerstone.run.act.recover import Remedies
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.act.second_look import SecondLook
from hammerstone.run.act.skill_tools import SkillTools
from hammerstone.run.act.skill_work import SkillServices, SkillWork
from hammerstone.run.act.solving import StepSolver
from hammerstone.run.answer.document_stage import ConsultStage
from hammerstone.run.answer.earlier_feedback import RunTrail
from hammerstone.run.answer.from_documents import DocumentAnswers
from hammerstone.run.answer.look_up import WebLookup
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.prose import Prose
from hammerstone.run.answer.record import LaterWork, RunRecorder
from hammerstone.run.answer.wording import Wording
from hammerstone.run.answering import Aftermath, Answerer
from hammerstone.run.bind.binding import Binder
from hammerstone.run.bind.skill_inputs import SkillInputs
from hammerstone.run.context import RunModels
from hammerstone.run.find.discover import Finder
from hammerstone.run.find.planning import Planner
from hammerstone.run.find.preview import RequestPreview
from hammerstone.run.services import Services
from hammerstone.run.stages import ActStage, FindStage, RespondStage, Stages, UnderstandStage
from hammerstone.run.understand.enrich import Enrichment
from hammerstone.run.understand.follow_ups import FollowUps
from hammerstone.run.understand.session_files import SessionFiles


def open_preview(services: Services) -> RequestPreview:
    """What shows what requests would find."""
    catalogue, guards = services.catalogue, services.guards
    finder = Finder(catalogue.registry, catalogue.search)
    planner = Planner(catalogue, finder, guards.policies)
    return RequestPreview(planner, finder, catalogue, guards, services.records)


def open_answerer(
    services: Services, repairer: Repairer, later: LaterWork, listener: Listener
) -> Answerer:
    """What answers requests with these services; repairs, proofs and learning come from upper
    layers."""
    catalogue, workshop, records = services.catalogue, services.workshop, services.records
    guards, policies = services.guards, services.guards.policies
    models = RunModels(workshop.models, guards.stop)
    questions = Questions(guards, records)
    permissions = PermissionRequests(guards, records)
    finder = Finder(catalogue.registry, catalogue.search)
    binder = Binder(models, policies, records.db)
    keeper = ResultKeeper(policies, records)
    calls = ToolCalls(workshop, records)
    outside = OutsideServices(workshop, models, permissions)
    remedies = Remedies(finder, binder, repairer)
    reuse = ToolReuse(policies, permissions, calls, keeper, remedies)
    solver = StepSolver(policies, permissions, models, workshop.sandbox, keeper)
    skills = SkillWork(
        catalogue.skills,
        SkillInputs(binder, models),
        SkillTools(finder, permissions, calls),
        solver,
        keeper,
        SkillServices(workshop.sandbox, catalogue.documents),
    )
    second_look = SecondLook(NearTools(finder, binder, workshop.sandbox), solver, reuse)
    others = StepServices(outside, skills, second_look)
    steps = StepRunner(finder, binder, reuse, solver, others, records.clock)
    plans = PlanRunner(steps, records)
    clarification = Clarification(questions, catalogue, calls, records)
    prose = Prose(models)
    memo = AnswerMemo(services.memories, catalogue, records, questions)
    stages = Stages(
        UnderstandStage(
            clarification,
            Enrichment(services.memories.memory, models, policies),
            SessionFiles(records, policies),
            FollowUps(catalogue.registry, records.db),
            records.db.values,
            policies,
        ),
        FindStage(
            Planner(catalogue, finder, policies), finder, catalogue.skills, memo, records.clock
        ),
        ConsultStage(catalogue.documents, DocumentAnswers(catalogue.documents, models)),
        ActStage(plans),
        RespondStage(
            clarification, plans, Wording(prose, policies), prose, WebLookup(outside, models)
        ),
    )
    recorder = RunRecorder(records, keeper, calls, RunTrail(records, policies), later)
    aftermath = Aftermath(recorder, memo, listener, later.proofs, calls)
    return Answerer(guards, records, memo, stages, recorder, aftermath)
