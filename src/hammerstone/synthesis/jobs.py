"""A tool to be built, and what its authors are shown of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, Spec
from hammerstone.judging.rendering import call_source
from hammerstone.synthesis.code.signature import def_line, docstring, stub
from hammerstone.synthesis.files.given_files import paths_in
from hammerstone.synthesis.files.produced_files import FOLDER
from hammerstone.synthesis.request_examples import read_request_examples
from hammerstone.synthesis.witnesses import REQUEST, Assignment, roles_for

_SHOWN_CALL = 200  # characters of the first call that help a code author more than they cost
_LIBRARIES = {
    "xlsx": "openpyxl",
    "png": "matplotlib",
    "pdf": "reportlab",
    "docx": "docx",
    "pptx": "pptx",
}


@dataclass(frozen=True, slots=True)
class BuildJob:
    """A tool to be built: its spec, the request behind it, and that request's own call.

    `preview` says how the files begin; `request` is shown to code authors, and what it states
    as examples is truth. `candidates` are modules that are there already, written for the
    request itself; where there are some, a test author is heard who saw nothing but the request.
    """

    spec: Spec
    request: str
    first_call: JsonObject | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    preview: str = ""
    candidates: tuple[str, ...] = ()


def user_truth(job: BuildJob) -> list[Case]:
    """What the person stated as fact: examples in the spec and in the request's own words.

    For a tool that leaves files there is none: its value is what is in the files.
    """
    if job.spec.produces:
        return []
    told = [*job.spec.examples, *read_request_examples(job.request, job.spec).cases]
    return list({case.call.source or repr(case.call): case for case in reversed(told)}.values())


def first_call(job: BuildJob) -> Call | None:
    """The request's own call, as an expression so that it counts like an author's input."""
    if job.first_call is None:
        return None
    return _as_source(job.first_call, job.spec.name)


def messy_calls(job: BuildJob, names: Sequence[str]) -> list[Call]:
    """The first call with messy copies of the files in place of the person's own."""
    made: list[Call] = []
    for parameter, name in paths_in(job.first_call, job.files):
        for variant in names:
            if variant.endswith(f"_{name}"):
                values = (job.first_call or {}) | {parameter: f"/files/{variant}"}
                made.append(_as_source(values, job.spec.name))
    return made


def assignment(job: BuildJob, truth: Sequence[Case]) -> Assignment:
    """What the authors of this job are shown."""
    spec = job.spec
    first = first_call(job)
    context = f"It was first needed for this request: {job.request}"
    if first and first.source and len(first.source) <= _SHOWN_CALL:
        context += f"\nFor it, it is called like this: {first.source}"
    if job.preview:
        context += f"\n{job.preview}\nRaise an error where a file cannot be used."
    if spec.produces:
        context += f"\n{saving_note(spec.produces)}"
    return Assignment(
        function=spec.name,
        stub=stub(spec),
        context=context,
        docstring=docstring(replace(spec, examples=())),  # kept, and read by everybody
        task=f"Write `{def_line(spec)}`\n{docstring(spec)}\n\n{context}",
        head=def_line(spec),
        note=job.preview,
        roles=(REQUEST, *roles_for(spec)) if _asks_request(job, first) else roles_for(spec),
        examples=tuple(truth),
        request=job.request,
        own_call=first.source or "" if first else "",
    )


def _asks_request(job: BuildJob, first: Call | None) -> bool:
    """Whether somebody who knows only the request can say what its own call should give."""
    return bool(job.candidates and first and first.source and not job.files)


def examined_spec(job: BuildJob, copies: Sequence[str] = ()) -> Spec:
    """The spec as the examination takes it.

    A parameter that names a file takes only files that are there: made-up paths would say
    nothing but what a program does without its file. Where files are left, they are part of the
    value.
    """
    spec = job.spec
    properties = {**spec.takes.schemas}
    for parameter, name in paths_in(job.first_call, job.files):
        there = [name, *(copy for copy in copies if copy.endswith(f"_{name}"))]
        properties[parameter] = {**properties[parameter], "enum": [f"/files/{n}" for n in there]}
    returns = spec.returns
    if spec.produces:
        returns = {
            "type": "object",
            "properties": {"returned": spec.returns, "files": {"type": "array", "minItems": 1}},
            "required": ["returned", "files"],
        }
    parameters: JsonObject = {**spec.parameters, "properties": {**properties}}
    return replace(spec, parameters=parameters, returns=returns)


def saving_note(kinds: Sequence[str]) -> str:
    """Where files of these kinds are saved, and with which library, for a code author."""
    text = f"Save the {' and the '.join(kinds)} file in the folder `{FOLDER}`, which exists"
    used = [_LIBRARIES[kind] for kind in kinds if kind in _LIBRARIES]
    return f"{text}; use {' and '.join(used)}." if used else f"{text}."


def _as_source(values: JsonObject, function: str) -> Call:
    encoded: dict[str, Json] = {name: wire.encode(value) for name, value in values.items()}
    call = Call(kwargs=encoded)
    source = call_source(call, function)
    return Call(source=source) if source else call
