#!/usr/bin/env python3
"""Plays all, buys expensive cards, attacks. Copy this one."""

import json
import sys

DEAR_FIRST = """Blob World,Brain World,Fleet HQ,Command Ship,Mothership,Machine Base,Dreadnaught
Central Office,Battle Blob,Blob Carrier,Junkyard,Missile Mech,Battlecruiser,Royal Redoubt,Flagship
Port of Call,The Hive,Battle Mech,Mech World,War World,Defense Center,Trade Escort,Blob Destroyer
Patrol Mech,Stealth Needle,Recycling Station,Space Station,Barter World,Freighter,Blob Wheel,Ram
Battle Station,Supply Bot,Imperial Frigate,Survey Ship,Embassy Yacht,Trading Post,Battle Pod
Trade Pod,Missile Bot,Corvette,Cutter,Blob Fighter,Trade Bot,Imperial Fighter,Federation Shuttle"""
WANTED = DEAR_FIRST.replace("\n", ",").split(",")
GIVES = [("scrap", "discard"), ("discard", "hand")]  # don't scrap cards that it can still play
ORDER = ["play", "use-base", "use-ally", "buy", "attack-base", "attack-player", "end-turn", "scrap"]


def rank(action):
    """Return a sort key for actions. Those after "end-turn" are never chosen."""
    what, card = action["action"], action.get("card")
    place = [*WANTED, card].index(card)  # unknown cards are last
    return ORDER.index("scrap" if what == "buy" and place == len(WANTED) else what), place


class Bot:
    """Plays one match."""

    hears = ()  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        if message["type"] == "player-name-request":
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            return reply | {"name": "Admiral", "version": 1, "keep_alive": True}
        if message["type"] == "play-turn":
            plays = [{"action": "play", "card": card} for card in message["state"]["hand"]]
            return {"type": "play-reply", "actions": plays or [min(message["actions"], key=rank)]}
        if message["type"] == "choose":
            kind, most, options = message["kind"], message["most"], message["options"]
            poor = [(kind, o.get("from")) in GIVES and o["card"] not in WANTED for o in options]
            picks = sorted(range(len(poor)), key=lambda place: not poor[place])
            least = message["least"] or kind in ("destroy-base", "copy-ship", "gain-ship")
            return {"type": "choose-reply", "picks": picks[: max(least, min(most, sum(poor)))]}
        return None  # ignore other types: they're news, or newer than this bot


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:  # bytes, because the locale may not be UTF-8
        message = json.loads(line)
        if message["type"] == "player-name-request":
            bot = Bot()  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
