"""Every measurement there is: the modules of `chapters/`, loaded when an evaluation begins."""

from collections.abc import Collection, Iterable
from importlib import import_module

from hammerstone.core.errors import BadRequest
from hammerstone.core.evaluations import Chapter, EvaluationSet
from hammerstone.evaluation.board.measurement import Measurement

# Modules with a tuple `MEASUREMENTS`. The order within a chapter is the order of the report.
MODULES = (
    "hammerstone.evaluation.chapters.recorded_answers",
    "hammerstone.evaluation.chapters.recorded_synthesis",
    "hammerstone.evaluation.chapters.tool_search",
    "hammerstone.evaluation.chapters.sandbox_attacks",
    "hammerstone.evaluation.chapters.privacy_canaries",
    "hammerstone.evaluation.chapters.sandbox_speed",
    "hammerstone.evaluation.suites.suite_measurement",
    "hammerstone.evaluation.chapters.tool_fit",
    "hammerstone.evaluation.chapters.document_answers",
    "hammerstone.evaluation.chapters.live_requests",
    "hammerstone.evaluation.chapters.read_arguments",
    "hammerstone.evaluation.chapters.live_synthesis",
    "hammerstone.evaluation.chapters.tool_making",
    "hammerstone.evaluation.chapters.published_tasks",
    "hammerstone.evaluation.chapters.tool_repairs",
    "hammerstone.evaluation.chapters.reuse_curve",
    "hammerstone.evaluation.chapters.consistency",
    "hammerstone.evaluation.chapters.of_repository",
)


def measurements(modules: Iterable[str] = MODULES) -> list[Measurement]:
    """All measurements by chapter. A name that is used twice is an error of ours."""
    found: list[Measurement] = []
    for module in modules:
        found.extend(import_module(module).MEASUREMENTS)
    names = [one.name for one in found]
    assert len(names) == len(set(names)), f"a measurement is named twice: {sorted(names)}"
    order = list(Chapter)
    return sorted(found, key=lambda one: order.index(one.chapter))


def chosen_from(
    known: Iterable[Measurement],
    chosen: EvaluationSet,
    chapters: Collection[Chapter] = (),
    names: Collection[str] = (),
) -> list[Measurement]:
    """The measurements of a set, of some chapters and names only where these are given.

    A measurement that is named is taken whatever the set. Raises `BadRequest` for an unknown name.
    """
    everything = list(known)
    unknown = set(names) - {one.name for one in everything}
    if unknown:
        listed = ", ".join(one.name for one in everything)
        raise BadRequest(f"there is no measurement {min(unknown)!r}", hint=f"one of: {listed}")
    return [
        one
        for one in everything
        if (one.name in names if names else chosen in one.sets)
        and (not chapters or one.chapter in chapters)
    ]
