"""The whole data folder in one place to keep: the database and the files beside it, and back."""

from hammerstone.storage.files.backups.contents import BackupManifest
from hammerstone.storage.files.backups.restoring import RestoreReport, restore_backup
from hammerstone.storage.files.backups.writing import write_backup

__all__ = ["BackupManifest", "RestoreReport", "restore_backup", "write_backup"]
