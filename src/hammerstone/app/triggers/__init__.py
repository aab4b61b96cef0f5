"""Triggers: requests that a webhook, a time, a file or a message starts."""

from hammerstone.app.triggers.trigger_desk import TriggerDesk

__all__ = ["TriggerDesk"]
