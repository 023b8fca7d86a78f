#!/usr/bin/env python3
"""Plays all and buys the dearest card: copy this one.

What is left is for a patron.
Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import sys

ABOUT = {"name": "Magnate", "version": 1, "keep_alive": True}  # it plays match after match
# What it does, the first first.
KINDS = ("play-card", "activate-agent", "buy-card", "call-patron", "end-turn")


def choose_action(actions, row, costs):
    """Of the first kind that is there; of cards to buy the dearest."""
    wanted = [action for action in actions if action["type"] in KINDS]
    first = min(wanted, key=lambda action: KINDS.index(action["type"]))
    if first["type"] != "buy-card":
        return first
    price = {card["uid"]: costs[card["card"]] for card in row}
    buys = [action for action in wanted if action["type"] == "buy-card"]
    return max(buys, key=lambda action: price[action["card"]])


def choose_cards(request, costs):
    """As few as can be, the cheapest; of what is free, the dearest."""
    cards = sorted(request["cards"], key=lambda card: costs[card["card"]])
    free = request["follow_up"] == "acquire-cards"
    return [card["uid"] for card in (cards[-1:] if free else cards[: request["min"]])]


class Bot:
    """The bot in one match."""

    hears = ("game-info",)  # what news it reads

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "game-info":
                self.costs = {row["card"]: row["cost"] for row in message["card_table"]}
            case "patron-request":
                return {"type": "patron-reply", "patron": message["available"][0]}
            case "play-turn":
                action = choose_action(message["actions"], message["state"]["row"], self.costs)
                return {"type": "play-reply", "action": action}
            case "choose-request" if message["effects"]:
                return {"type": "choose-reply", "effect": 0}
            case "choose-request":
                return {"type": "choose-reply", "cards": choose_cards(message, self.costs)}
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
