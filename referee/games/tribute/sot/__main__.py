"""The process of one bot: `python -m referee.games.tribute.sot FILE CLASS`."""

from __future__ import annotations

import gc
import os
import sys
from time import monotonic

import msgspec

from referee.games.tribute.sot import BOT
from referee.games.tribute.sot.author import AuthorError, load, show_error
from referee.games.tribute.sot.dialogue import Dialogue


def main() -> None:
    """Read messages from stdin and answer them, until stdin is closed."""
    # The author's code may call print() or input(), which would interfere with our messages. We
    # keep copies of stdin and stdout for ourselves, and then redirect the descriptors 0 and 1 to
    # /dev/null and stderr. Unlike replacing sys.stdout, this also works for libraries in C.
    lines, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        limit = float(os.environ.get("REFEREE_TIME_LIMIT", "inf"))
        file, name = sys.argv[1:]
        dialogue = Dialogue(load(file, name.removeprefix(BOT)), limit)
        gc.freeze()  # so that the collector doesn't scan the imported modules every time
        for line in lines:
            if not line.endswith(b"\n"):
                break  # an incomplete line: the referee has stopped
            reply = dialogue.take(msgspec.json.decode(line), monotonic())
            if reply is not None:
                replies.write(msgspec.json.encode(reply) + b"\n")
                replies.flush()
    except AuthorError as error:
        sys.exit(f"Error: {error}")
    # The author's code can raise anything. Show it and exit, and the referee will report that the
    # bot exited.
    except Exception as error:
        show_error(error)
        sys.exit(1)


if __name__ == "__main__":  # processes that a bot starts import this module too
    main()
