"""A module for each command, with its options and `run`."""
