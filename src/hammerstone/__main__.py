"""`python -m hammerstone`: the same as the command `hammerstone`."""

from hammerstone.serve.cli.main import main

main()
