"""The embedded model: one llama.cpp process per user, shared by every Hammerstone process."""
