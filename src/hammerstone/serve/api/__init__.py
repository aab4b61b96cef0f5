"""HTTP and WebSocket."""
