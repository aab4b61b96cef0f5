"""Files in a tool's making: those a person gives, and those a tool leaves."""
