"""Embedders: texts as unit vectors, from the local MiniLM or an OpenAI-compatible endpoint."""
