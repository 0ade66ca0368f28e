"""Reads recorded runs and draws them: python3 -m plots --help."""
