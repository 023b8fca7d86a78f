#!/usr/bin/env python3
"""Plays all cards, buys expensive ones. Copy this one.

It calls a patron when there's nothing left to play or buy.
Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import sys

ABOUT = {"name": "Magnate", "version": 1, "keep_alive": True}  # plays any number of matches
# Kinds of actions in the order in which it takes them.
KINDS = ("play-card", "activate-agent", "buy-card", "call-patron", "end-turn")


def choose_action(actions, row, costs):
    """Return an action of the first kind that is possible. Among buys, take the most expensive."""
    wanted = [action for action in actions if action["type"] in KINDS]
    first = min(wanted, key=lambda action: KINDS.index(action["type"]))
    if first["type"] != "buy-card":
        return first
    price = {card["uid"]: costs[card["card"]] for card in row}
    buys = [action for action in wanted if action["type"] == "buy-card"]
    return max(buys, key=lambda action: price[action["card"]])


def choose_cards(request, costs):
    """Pick the cheapest cards, and as few as possible. If cards are free, pick the best one."""
    cards = sorted(request["cards"], key=lambda card: costs[card["card"]])
    free = request["follow_up"] == "acquire-cards"
    return [card["uid"] for card in (cards[-1:] if free else cards[: request["min"]])]


class Bot:
    """Plays one match."""

    hears = ("game-info",)  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
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
