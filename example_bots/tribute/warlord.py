#!/usr/bin/env python3
"""Goes for prestige, which power becomes: copy this one.

Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import re
import sys

ABOUT = {"name": "Warlord", "version": 1, "keep_alive": True}  # it plays match after match
# Patrons; the last two make power of coins.
LIKED = ("PELIN", "RED_EAGLE", "ANSEI", "DUKE_OF_CROWS", "ORGNUM")
WORTH = {"POWER": 2, "PRESTIGE": 2, "COIN": 2, "DRAW": 2}


def worth(row):
    """Its cost, and what its effects come to; a combo is rarer, an agent acts again."""
    total = 0
    for level, text in enumerate(row["effects"], 1):
        for word, amount in re.findall(r"(?:GAIN_)?([A-Z_]+) (\d+)", text):
            total += WORTH.get(word, 0) * int(amount) / level
    return row["cost"] + total * (2 if row["hp"] else 1)


def choose_action(state, actions, values):
    """Cards and agents, the best buy, what makes coins power; then the turn ends."""
    if actions[0]["type"] in ("play-card", "activate-agent"):
        return actions[0]
    buys = [action for action in actions if action["type"] == "buy-card"]
    if buys:
        price = {card["uid"]: values[card["card"]] for card in state["row"]}
        return max(buys, key=lambda action: price[action["card"]])
    calls = [action for action in actions if action.get("patron") in LIKED[3:]]
    return (calls or actions[-1:])[0]


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
                self.values = {row["card"]: worth(row) for row in message["card_table"]}
            case "patron-request":
                liked = [patron for patron in LIKED if patron in message["available"]]
                return {"type": "patron-reply", "patron": (liked or message["available"])[0]}
            case "play-turn":
                action = choose_action(message["state"], message["actions"], self.values)
                return {"type": "play-reply", "action": action}
            case "choose-request":  # nothing is thrown away, and the left effect is mostly power
                uids = [card["uid"] for card in message["cards"]]
                return {"type": "choose-reply", "cards": uids[: message["min"]], "effect": 0}
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
