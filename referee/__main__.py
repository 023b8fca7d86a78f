"""The entry point: `referee`, and `python -m referee`."""

import gc
import sys


def main() -> int:
    """Run the command on the process's arguments; returns the exit code."""
    # Start-up makes many objects and no garbage, and looking for some there takes a quarter of it.
    # `referee play` lets the collector run again when its match begins.
    gc.disable()
    from referee.cli import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
