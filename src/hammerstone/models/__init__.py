"""Models that write and embed: the embedded one, providers, wrappers around them, fakes."""
