"""All tricks at a play-turn, by their names in a plan, and which of them end a turn."""

from actions import ACTION_TRICKS
from buys import BUY_TRICKS
from framing import FRAMING_TRICKS
from leaving import LEAVING_TRICKS

TURN_TRICKS = FRAMING_TRICKS | LEAVING_TRICKS | BUY_TRICKS | ACTION_TRICKS
ENDING = {
    *(trick for trick in TURN_TRICKS if trick.startswith(("json-", "phase-", "type-"))),
    *("early", "pass", "second-buy", "no-actions", "top-bad"),
}
"""What ends the turn although it is no clean-up reply, or more than one."""
