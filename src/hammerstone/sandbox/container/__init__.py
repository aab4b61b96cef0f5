"""Guests in containers of Docker or Podman, through the Docker API; the way on macOS and Windows.

engine.py    the daemon: found, asked, and its complaints translated
image.py     the image, imported from the runtime's own folders; no registry is involved
profile.py   the system call filter as the JSON that container engines read
options.py   every limit and control of one container, and what it cannot do
backend.py   one container for each guest
stream.py    the attached socket: what goes in, what comes out
"""
