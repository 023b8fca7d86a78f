"""Entry point of the `referee` command and of `python -m referee`."""

import gc
import signal
import sys


def main() -> int:
    """Run the command with the arguments of the process. Returns the exit code."""
    # Nothing has been started yet, so there's nothing to clean up. Ctrl-C should end the process
    # right away, without a traceback from inside an import.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Start-up creates many objects but no garbage, and a quarter of its time would go to looking
    # for garbage. Commands that run for long enable the collector again
    # (`cli.running.collect_garbage`).
    gc.disable()
    # If our parent ignores SIGCHLD, we inherit that setting, and we couldn't wait for our bots.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    from referee.interrupts import Interrupts

    with Interrupts() as interrupts:  # we enter this early, because the imports below are slow
        from referee.cli import main as run_command

        try:
            return run_command(interrupts=interrupts)
        finally:
            gc.freeze()  # there's no point in a last collection at exit


if __name__ == "__main__":
    sys.exit(main())
