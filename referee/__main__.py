"""The entry point: `referee`, and `python -m referee`."""

import gc
import signal
import sys


def main() -> int:
    """Run the command on the process's arguments; returns the exit code."""
    # Nothing is started yet, so Ctrl-C may end the process as it is, without Python's traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Start-up makes many objects and no garbage, and looking for some there takes a quarter of it.
    # A command that works for long lets the collector run again (`cli.running.collect_garbage`).
    gc.disable()
    # If the parent ignores SIGCHLD, so would this process, and could not wait for its bots.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    from referee.interrupts import Interrupts

    with Interrupts() as interrupts:  # before all that takes time to load
        from referee.cli import main as run_command

        try:
            return run_command(interrupts=interrupts)
        finally:
            gc.freeze()  # the process ends: Python need not sort out what is garbage once more


if __name__ == "__main__":
    sys.exit(main())
