"""What an author of prompts is shown: the cases by their requests, without right replies."""

from collections.abc import Sequence

from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.learn.harness.edit_authors import PromptTextAuthor
from hammerstone.learn.prompting.prompt_trials import Lesson

CASES = [TrackCase("c1", "What is 2 + 2?"), TrackCase("c2", "What is 3 + 3?")]
SCORES = [
    CaseScore("c2", 0.5, given="7", reason="one too much"),
    CaseScore("gone", 0.0, given="?", reason="no case of this suite"),
]


class Author:
    """Writes what it was told to, in turn."""

    def __init__(self, *texts: str | None) -> None:
        self.texts = [*texts]
        self.shown: list[Lesson] = []

    async def rewrite(self, lessons: Sequence[Lesson]) -> list[str | None]:
        self.shown += lessons
        return [self.texts.pop(0)]


async def test_the_author_sees_the_text_in_force_and_how_the_cases_went() -> None:
    author = Author("better")
    texts = PromptTextAuthor("kind", "plain", author, CASES)
    edit = await texts.propose(Trial(prompts={"kind": "kept"}), SCORES)
    (lesson,) = author.shown
    assert lesson.text == "kept"
    ((case, score),) = lesson.tried
    assert (case.id, case.request) == ("c2", "What is 3 + 3?")
    assert (score.score, score.said, score.feedback) == (0.5, "7", "one too much")
    assert edit is not None and (edit.trial.prompts, edit.path) == (
        {"kind": "better"},
        "prompt/kind",
    )


async def test_no_text_is_proposed_twice_and_the_present_one_never() -> None:
    texts = PromptTextAuthor("kind", "plain", Author("plain", None, "new", "new", "newer"), CASES)
    made = [await texts.propose(Trial(), ()) for _ in range(2)]
    assert [edit and edit.trial.prompts["kind"] for edit in made] == ["new", "newer"]
