"""The entry point: `referee`, and `python -m referee`."""

import gc
import signal
import sys


def main() -> int:
    """Run the command with the arguments of the process. Returns the exit code."""
    # Nothing has started yet, so Ctrl-C can end the process directly, without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Start-up creates many objects but no garbage, and collecting takes a quarter of its time.
    # Commands that run for long enable the collector again (`cli.running.collect_garbage`).
    gc.disable()
    # If the parent ignores SIGCHLD, this process inherits that and could not wait for its bots.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    from referee.interrupts import Interrupts

    with Interrupts() as interrupts:  # before slow imports
        from referee.cli import main as run_command

        try:
            return run_command(interrupts=interrupts)
        finally:
            gc.freeze()  # skips a last collection at exit


if __name__ == "__main__":
    sys.exit(main())
