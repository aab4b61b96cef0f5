"""Which exporters the settings ask for, besides the own store."""

from hammerstone.core.settings import Settings
from hammerstone.tracing.traces import TraceExporter


def configured_exporters(settings: Settings, *, version: str = "") -> list[TraceExporter]:
    """An OTLP exporter when an endpoint is set; raises `SettingsError` if it cannot be made."""
    if not settings.otlp_endpoint:
        return []
    from hammerstone.tracing.otel import otlp_exporter

    return [otlp_exporter(settings.otlp_endpoint, version=version)]
