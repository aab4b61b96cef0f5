"""Models without a model, for tests and replays: they raise on anything they were not given."""

from hammerstone.models.fakes.drawn import DrawBook, DrawnModel
from hammerstone.models.fakes.recorded import RecordedModel
from hammerstone.models.fakes.scripted import ScriptedModel

__all__ = ["DrawBook", "DrawnModel", "RecordedModel", "ScriptedModel"]
