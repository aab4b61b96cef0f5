"""The answer in words, remembered and recorded."""
