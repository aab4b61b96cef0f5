"""Questions that experimental tools keep: asked when the person is there, and answered."""
