"""Chats: services where people write to each other, and to Hammerstone."""
