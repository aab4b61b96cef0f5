"""Ways to the outside that the person set up: MCP servers, HTTP, web search, pages.

Credentials stay here, on the host; generated code never sees them. What comes back is data.
"""

from hammerstone.connectors.connector import Connector, ConnectorResult, Offer
from hammerstone.connectors.opening import Connectors, open_connectors

__all__ = ["Connector", "ConnectorResult", "Connectors", "Offer", "open_connectors"]
