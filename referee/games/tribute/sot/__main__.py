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
    """Answer lines until stdin ends. Output of the bot goes to stderr."""
    # The author's code may call print() or input(), and both would disturb the dialogue with the
    # referee. Keep copies of stdin and stdout, and redirect descriptor 0 to /dev/null and
    # descriptor 1 to stderr. (Redirecting descriptors also affects libraries in C.)
    lines, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        limit = float(os.environ.get("REFEREE_TIME_LIMIT", "inf"))
        file, name = sys.argv[1:]
        dialogue = Dialogue(load(file, name.removeprefix(BOT)), limit)
        gc.freeze()  # The collector doesn't have to look at the imported modules again and again.
        for line in lines:
            if not line.endswith(b"\n"):
                break  # an incomplete line: the referee has stopped
            reply = dialogue.take(msgspec.json.decode(line), monotonic())
            if reply is not None:
                replies.write(msgspec.json.encode(reply) + b"\n")
                replies.flush()
    except AuthorError as error:
        sys.exit(f"Error: {error}")
    # The author's code may raise any exception. Show it and exit. The referee reports that the bot
    # exited.
    except Exception as error:
        show_error(error)
        sys.exit(1)


if __name__ == "__main__":  # processes that a bot starts import this module too
    main()
