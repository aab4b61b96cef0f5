"""When what has been heard is enough for verified, and how to say why it is or is not."""

from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.forms import form_of
from hammerstone.synthesis.examine.policy import Agreement, ExaminePolicy, VerdictMarks
from hammerstone.synthesis.examine.verdict import BehaviourStanding


def mark_of(examination: Examination, policy: VerdictMarks) -> float:
    """The confidence that is asked for: more where a person has said little or nothing."""
    if _answered(examination):
        alone = examination.belief.features.get("told", 0.0) == 0
        return policy.verified_at_answer_alone if alone else policy.verified_at_answered
    return policy.verified_at if examination.told else policy.verified_at_untold


def _answered(examination: Examination) -> bool:
    """Whether a person chose one of two results."""
    return bool(examination.answered.upheld or examination.answered.flipped)


def votes_asked_for(examination: Examination, policy: Agreement) -> int:
    """How many candidates have to agree; one more where only an answer stands by them."""
    if not _answered(examination):
        return policy.min_votes
    return policy.min_votes_answered + (examination.belief.features["content"] == 0)


def draws_asked_for(examination: Examination, policy: Agreement) -> int:
    """How many candidates have to be heard: more where a person has said little or nothing."""
    if not examination.told:
        return policy.min_candidates_untold
    alone = examination.belief.features["content"] < policy.seconded
    few = told_little(examination, policy) and alone
    return policy.min_candidates_few if few else policy.min_candidates


def copies(examination: Examination, policy: Agreement) -> bool:
    """Whether the leader is one program drawn again and again, with few test authors beside it.

    Copies of a program are one witness. A person who chose its result is another one.
    """
    belief = examination.belief
    if not belief.ranking or examination.answered.flipped:
        return False
    if belief.features["content"] >= policy.seconded:
        return False
    rows = {examination.draws[draw] for draw in belief.ranking[0].group.covered}
    return len({form_of(examination.matrix.codes[row]).shape for row in rows}) < 2


def rival_weight(examination: Examination) -> float:
    """The part of the belief that the second behaviour has among those that were seen."""
    ranking = examination.belief.ranking
    return ranking[1].weight if len(ranking) > 1 else 0.0


def _only_examples(examination: Examination) -> bool:
    """Whether a person gave examples and chose no result."""
    return examination.told and not _answered(examination)


def told_little(examination: Examination, policy: Agreement) -> bool:
    """Whether all that a person said about results is very few examples."""
    few = examination.belief.features["examples"] <= policy.few_examples
    return few and _only_examples(examination)


def rivals(examination: Examination) -> float:
    """How many of the candidates that meet the examples differ from the leader."""
    belief = examination.belief
    return len(belief.survivors) - belief.ranking[0].group.votes


def two_readings(examination: Examination, policy: Agreement) -> bool:
    """Whether candidates took another reading that the examples and the authors leave open."""
    backed = examination.belief.features["contested"] >= policy.backed
    if backed or not _only_examples(examination):
        return False
    return rivals(examination) > policy.rivals * len(examination.belief.survivors)


def contradicted(examination: Examination) -> bool:
    """Whether the leader returns one result for everything and no test author agrees with it.

    Code that always returns the example's result meets the example. Authors alone are no
    veto: for values that are hard to work out by head, all of them may be wrong.
    """
    belief, matrix = examination.belief, examination.matrix
    if not belief.ranking or belief.features["claimed"] < 2 or belief.features["agreed"] > 0:
        return False
    labels = enumerate(belief.ranking[0].group.labels)
    results = [repr(matrix.value(column, int(label))) for column, label in labels if label >= 0]
    return len(results) > 2 and len(set(results)) == 1


def objection(examination: Examination, policy: Agreement) -> str:
    """What speaks against verified although the confidence is high enough, in plain words.

    One candidate alone is never enough, nor is one program written many times. Two behaviours
    with much support are two readings of the spec. Without a person's word it takes more
    candidates, and test authors who mostly expect something else are a reading that counts:
    candidates of one model may all share the other one.
    """
    drawn = len(examination.draws)
    if contradicted(examination):
        return "it returns the same for every input and no test author expects that"
    if rival_weight(examination) >= policy.equal_weight:
        return "another behaviour has much support too"
    if two_readings(examination, policy):
        return "others behave differently and meet what you said too"
    if drawn < policy.min_candidates:
        return "one candidate alone proves nothing"
    if examination.belief.ranking[0].group.votes < votes_asked_for(examination, policy):
        return "too few candidates agree"
    if copies(examination, policy):
        return "these are one program, and few test authors agree with all of it"
    wanted = draws_asked_for(examination, policy)
    if drawn < wanted:
        given = "one example" if examination.told else "no example"
        return f"with {given} from a person {wanted} candidates are asked for"
    return "" if examination.told else _objection_untold(examination, policy)


def _objection_untold(examination: Examination, policy: Agreement) -> str:
    """What speaks against it where no person said what is right."""
    if examination.voices < policy.min_voices_untold:
        return "no independent tests support it"
    if examination.belief.features["support"] < policy.min_support_untold:
        return "the test authors mostly expect something else"
    return ""


def is_sure(examination: Examination, policy: ExaminePolicy) -> bool:
    """Whether what has been heard is enough for verified."""
    enough = examination.confidence >= mark_of(examination, policy)
    return enough and not objection(examination, policy)


def judged(
    examination: Examination, policy: ExaminePolicy, doubt: str = ""
) -> tuple[BehaviourStanding, str]:
    """The standing, and a sentence that tells a person why; `doubt` rules out verified."""
    said = _agreement(examination)
    if doubt:
        return BehaviourStanding.EXPERIMENTAL, f"{said}, but {doubt}"
    confidence, mark = examination.confidence, mark_of(examination, policy)
    if confidence >= mark:
        against = objection(examination, policy)
        if against:
            return BehaviourStanding.EXPERIMENTAL, f"{said}, but {against}"
        return BehaviourStanding.VERIFIED, f"{said}: {confidence:.0%} sure"
    short = f"{said}: {confidence:.0%} sure, {mark:.0%} are asked for"
    if confidence < policy.rejected_below:
        return BehaviourStanding.REJECTED, short
    return BehaviourStanding.EXPERIMENTAL, short


def _agreement(examination: Examination) -> str:
    """Who agrees with the leader: candidates, the person, the test authors."""
    belief = examination.belief
    drawn, agree = len(examination.draws), round(belief.ranking[0].group.votes)
    parts = [f"{agree} of {drawn} candidates agree"]
    examples = len(examination.truth) - examination.answered.upheld - examination.answered.flipped
    if examples > 0:
        parts.append(f"meet the {_counted(examples, 'example')} given")
    if examination.answered.total:
        upheld = examination.answered.upheld
        parts.append("an answer upheld them" if upheld else "an answer chose among them")
    authors = round(belief.features["authors"])
    content = round(belief.features["content"] * authors)
    if authors:
        verb = "expect" if authors > 1 else "expects"
        parts.append(f"{content} of {_counted(authors, 'test author')} {verb} all of it")
    return ", ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
