"""Every track that this installation has, by its name."""

from hammerstone.app.evolution.own_tracks import TrackSupplies, supplied_tracks
from hammerstone.learn.evolution.tracks.knowledge_track import KnowledgeTrack
from hammerstone.learn.evolution.tracks.track import Track
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.run.services import Services


def open_tracks(
    services: Services, gate: ChangeGate, supplies: TrackSupplies | None = None
) -> list[Track]:
    """The tracks, made with the services they work with; what is not here cannot be recommended."""
    tracks: list[Track] = [KnowledgeTrack(gate, services.guards.policies)]
    if supplies is not None:
        tracks += supplied_tracks(services, gate, supplies)
    return tracks
