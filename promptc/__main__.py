"""`python -m promptc`."""

from promptc.cli import main

main()
