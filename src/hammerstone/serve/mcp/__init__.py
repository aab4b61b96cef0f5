"""The library as live MCP tools, over stdio and streamable HTTP."""
