"""The entry point: `referee`, and `python -m referee`."""

import gc
import sys


def main() -> int:
    """Run the command on the process's arguments; returns the exit code."""
    # Start-up makes many objects and no garbage, and looking for some there takes a quarter of it.
    # `referee play` lets the collector run again when its match begins.
    gc.disable()
    from referee.cli import main as run_command

    try:
        return run_command()
    finally:
        gc.freeze()  # the process ends: Python need not sort out what is garbage once more


if __name__ == "__main__":
    sys.exit(main())
