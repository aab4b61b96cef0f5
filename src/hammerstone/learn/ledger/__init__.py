"""Everything that changed, and how each kind of change is made and taken back."""
