"""Experiments on policies and prompts: variants side by side, looked at daily, never fooled."""
