#!/usr/bin/env python3
"""Collects power to turn it into prestige. Copy this one.

Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import re
import sys

ABOUT = {"name": "Warlord", "version": 1, "keep_alive": True}  # plays any number of matches
# Patrons, the best first. The last two turn coins into power.
LIKED = ("PELIN", "RED_EAGLE", "ANSEI", "DUKE_OF_CROWS", "ORGNUM")
WORTH = {"POWER": 2, "PRESTIGE": 2, "COIN": 2, "DRAW": 2}


def worth(row):
    """Rate a card by its cost and its effects. Agents count double, since they act every turn."""
    total = 0
    for level, text in enumerate(row["effects"], 1):
        for word, amount in re.findall(r"(?:GAIN_)?([A-Z_]+) (\d+)", text):
            total += WORTH.get(word, 0) * int(amount) / level
    return row["cost"] + total * (2 if row["hp"] else 1)


def choose_action(state, actions, values):
    """Play cards and agents first, then buy the best card, and finally turn coins into power."""
    if actions[0]["type"] in ("play-card", "activate-agent"):
        return actions[0]
    buys = [action for action in actions if action["type"] == "buy-card"]
    if buys:
        price = {card["uid"]: values[card["card"]] for card in state["row"]}
        return max(buys, key=lambda action: price[action["card"]])
    calls = [action for action in actions if action.get("patron") in LIKED[3:]]
    return (calls or actions[-1:])[0]


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
                self.values = {row["card"]: worth(row) for row in message["card_table"]}
            case "patron-request":
                liked = [patron for patron in LIKED if patron in message["available"]]
                return {"type": "patron-reply", "patron": (liked or message["available"])[0]}
            case "play-turn":
                action = choose_action(message["state"], message["actions"], self.values)
                return {"type": "play-reply", "action": action}
            case "choose-request":  # it throws no cards away, and the left effect is mostly power
                uids = [card["uid"] for card in message["cards"]]
                return {"type": "choose-reply", "cards": uids[: message["min"]], "effect": 0}
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
