"""Tools as folders of plain files that people read, edit and commit."""

from hammerstone.library.folder.files import ToolFiles, Unreadable, read_folder, render
from hammerstone.library.folder.syncing import Action, FolderSync, SyncReport

__all__ = [
    "Action",
    "FolderSync",
    "SyncReport",
    "ToolFiles",
    "Unreadable",
    "read_folder",
    "render",
]
