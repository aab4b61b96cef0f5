"""What comes from a folder says who made it, as far as the folder knows."""

from hammerstone.core.tools import Spec
from hammerstone.library.tools.folder.files import ToolFiles
from hammerstone.library.tools.folder.syncing import _told_maker


def _files(provenance: dict[str, object] | None) -> ToolFiles:
    spec = Spec("f", "", {}, {})
    return ToolFiles("f", spec, "", (), provenance=provenance)  # type: ignore[arg-type]


def test_the_maker_is_told_as_the_folders_word() -> None:
    told = _told_maker(_files({"origin": "request", "model": "qwen", "trace": "t"}))
    assert told == ["its folder says: origin request, model qwen"]


def test_a_folder_that_says_nothing_tells_nothing() -> None:
    assert _told_maker(_files(None)) == _told_maker(_files({})) == []
