"""Tools as folders of plain files that people read, edit and commit."""

from hammerstone.library.tools.folder.files import BadToolFolder, ToolFiles, read_folder, render
from hammerstone.library.tools.folder.syncing import FolderSync, SyncAction, SyncReport

__all__ = [
    "BadToolFolder",
    "FolderSync",
    "SyncAction",
    "SyncReport",
    "ToolFiles",
    "read_folder",
    "render",
]
