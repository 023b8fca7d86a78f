"""One module per command, with its options and its function `run`."""
