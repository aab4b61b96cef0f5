"""Witnesses for tools that leave files: candidates by the model, cases by the spec."""

from collections.abc import Sequence

from hammerstone.core.answers import EventKind
from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, Spec
from hammerstone.judging.named_inputs import promised_inputs
from hammerstone.synthesis.files.produced_files import shape_cases
from hammerstone.synthesis.witnesses import LiveWitnesses

_INPUTS = 3  # made from the spec's schema, besides the request's own call


class ProducingWitnesses(LiveWitnesses):
    """Its suites say which files each call has to leave, and that they open.

    A small model cannot say what bytes a file will hold. What candidates put into their files
    is compared between them; whether the files are there and open is a fact to be checked.
    """

    _shapes: Sequence[Sequence[Case]] = ()

    def declared(self, spec: Spec, first: Call | None) -> None:
        """Take the cases from what the spec declares."""
        made = promised_inputs(spec.takes, _INPUTS)
        calls = [one.call(spec.name) for one in made]
        own = [first] if first is not None else calls[:1]
        parts = [own, [call for call in calls if call not in own]]
        self._shapes = [shape_cases(spec.produces, part, "shape") for part in parts if part]

    async def suites(self, count: int) -> Sequence[Sequence[str | Case]]:  # type: ignore[override]
        given, self._shapes = self._shapes[:count], self._shapes[count:]
        total = sum(len(suite) for suite in given)
        if total:
            text = f"{total} calls have to make the files that the tool promises"
            await self._notify(EventKind.TEST_WRITTEN, text, {"tests": total, "authors": 0})
        return given
