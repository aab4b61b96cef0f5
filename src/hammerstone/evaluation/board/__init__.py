"""The scoreboard: measurements in seven chapters, run, recorded, compared and shown."""
