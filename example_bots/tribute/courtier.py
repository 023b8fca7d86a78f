#!/usr/bin/env python3
"""Goes for the favour of all four patrons. Copy this one.

Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import sys

ABOUT = {"name": "Courtier", "version": 1, "keep_alive": True}  # plays any number of matches
EASY = ("DUKE_OF_CROWS", "ANSEI", "RED_EAGLE", "RAJHIN", "SAINT_ALESSIA", "ORGNUM")  # easiest first


def worth(action, me, state, costs):
    """Return how much the bot wants an action. Ending the turn is worth 0."""
    match action["type"]:
        case "call-patron":  # if they don't favour us yet, the opponent's patrons first
            favoured = state["favours"][action["patron"]]
            treasury = action["patron"] == "TREASURY"
            return -1 if treasury or favoured == me else 200 + (favoured is not None)
        case "buy-card":
            return costs[action["card"]]
        case "play-card" | "activate-agent":
            return 300
    return 0 if action["type"] == "end-turn" else -1  # it never attacks


def choose_action(me, state, actions, table):
    """Return the action that the bot wants most."""
    costs = {card["uid"]: 1 + table[card["card"]] for card in state["row"]}
    return max(actions, key=lambda action: worth(action, me, state, costs))


class Bot:
    """Plays one match."""

    hears = ("game-info",)  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
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
            # Ignore other types: they're news about the game, or newer than this bot.
        return None


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:  # bytes, because the locale may not be UTF-8
        if not line.endswith(b"\n"):
            break  # the line was cut off, so the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
