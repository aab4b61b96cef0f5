"""One plain prompt for a fix: what repair is compared with."""

from hammerstone.core.chat import Message
from hammerstone.learn.repair.author import without_docstring
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.prompts import load

MAX_TOKENS = 600


def plain_messages(complaint: Complaint, *, bare: bool = False) -> tuple[Message, ...]:
    """The code and the failing calls, with the description where the code does not have it.

    `bare` leaves the description and the docstring out.
    """
    code = complaint.code.strip()
    spec = f"{complaint.description.strip()}\n"
    if bare:
        code, spec = without_docstring(code, complaint.function).strip(), ""
    elif _said(complaint.description) and _said(complaint.description) in _said(code):
        spec = ""
    return load("fix_plain").fill(
        spec=spec, code=code, complaint=complaint.told(), name=complaint.function
    )


def _said(text: str) -> str:
    """The words of a docstring, in one line."""
    return " ".join(text.split('"""')[1].split()) if text.count('"""') > 1 else ""
