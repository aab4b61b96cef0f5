"""Whether a skill keeps the rules and can be trusted."""
