"""A module for each command: `add` says its arguments, `run` does it."""
