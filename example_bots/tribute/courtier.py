#!/usr/bin/env python3
"""Goes for the favour of all four patrons: copy this one.

Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import sys

ABOUT = {"name": "Courtier", "version": 1, "keep_alive": True}  # it plays match after match
EASY = ("DUKE_OF_CROWS", "ANSEI", "RED_EAGLE", "RAJHIN", "SAINT_ALESSIA", "ORGNUM")  # to win over


def worth(action, me, state, costs):
    """How much it wants an action; the end of the turn is worth 0."""
    match action["type"]:
        case "call-patron":  # only of those that it has not; the other's favour first
            favoured = state["favours"][action["patron"]]
            treasury = action["patron"] == "TREASURY"
            return -1 if treasury or favoured == me else 200 + (favoured is not None)
        case "buy-card":
            return costs[action["card"]]
        case "play-card" | "activate-agent":
            return 300
    return 0 if action["type"] == "end-turn" else -1  # it attacks nobody


def choose_action(me, state, actions, table):
    """The one that it wants most."""
    costs = {card["uid"]: 1 + table[card["card"]] for card in state["row"]}
    return max(actions, key=lambda action: worth(action, me, state, costs))


class Bot:
    """The bot in one match."""

    hears = ("game-info",)  # what news it reads

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                self.me = message["player_number"]
                return {"type": "player-name-reply", "player_number": self.me, **ABOUT}
            case "game-info":
                self.table = {row["card"]: row["cost"] for row in message["card_table"]}
            case "patron-request":
                liked = [patron for patron in EASY if patron in message["available"]]
                return {"type": "patron-reply", "patron": (liked or message["available"])[0]}
            case "play-turn":
                action = choose_action(self.me, message["state"], message["actions"], self.table)
                return {"type": "play-reply", "action": action}
            case "choose-request" if message["effects"]:
                return {"type": "choose-reply", "effect": 0}
            case "choose-request":
                uids = [card["uid"] for card in message["cards"]]
                return {"type": "choose-reply", "cards": uids[: message["min"]]}
            # All other types are news about the game, or newer than this bot: not an error.
        return None


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
        if not line.endswith(b"\n"):
            break  # cut off in the middle: the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a match begins, maybe not the first
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
