"""A module for each command: its arguments are in the table beside it, `run` does it."""
