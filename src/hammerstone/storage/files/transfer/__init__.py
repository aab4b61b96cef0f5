"""A whole database as a folder of plain files, and back, from either kind to either kind."""

from hammerstone.storage.files.transfer.archive import Manifest, TransferReport
from hammerstone.storage.files.transfer.export import export_to
from hammerstone.storage.files.transfer.load import import_from

__all__ = ["Manifest", "TransferReport", "export_to", "import_from"]
