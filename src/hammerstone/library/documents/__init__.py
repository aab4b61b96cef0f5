"""Documents that people added: read, cut into chunks, searched, quoted."""

from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.documents import Documents
from hammerstone.library.documents.passages import Passage, PassageSentence

__all__ = ["DocumentPolicy", "Documents", "Passage", "PassageSentence"]
