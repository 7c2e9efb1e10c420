"""`python -m adjudge` is the command line."""

from adjudge.cli import main

main()
