"""The entry point: `referee`, and `python -m referee`."""

import gc
import signal
import sys


def main() -> int:
    """Run the command with the arguments of the process. Returns the exit code."""
    # Nothing has been started yet, so there's nothing to clean up. Let Ctrl-C end the process right
    # away, instead of with a traceback from somewhere inside an import.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Starting up creates lots of objects but no garbage, and looking for it takes a quarter of the
    # time. Commands that run for long enable the collector again (`cli.running.collect_garbage`).
    gc.disable()
    # If our parent ignores SIGCHLD, we inherit that, and then we couldn't wait for our bots.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    from referee.interrupts import Interrupts

    with Interrupts() as interrupts:  # before the slow imports
        from referee.cli import main as run_command

        try:
            return run_command(interrupts=interrupts)
        finally:
            gc.freeze()  # Python would collect garbage once more at exit, which is pointless now


if __name__ == "__main__":
    sys.exit(main())
