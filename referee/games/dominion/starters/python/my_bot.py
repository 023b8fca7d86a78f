#!/usr/bin/env python3
"""A bot for Dominion that buys provinces, gold and silver. README.md says how to play it."""

import json
import sys

NAME = "My Bot"
WORTH = {"copper": 1, "silver": 2, "gold": 3}
COSTS = {"province": 8, "gold": 6, "silver": 3}  # what it buys, best first


def choose(money, supply):
    """The cards to buy: one at most."""
    for card, cost in COSTS.items():
        if cost <= money and supply[card] > 0:
            return [card]
    return []


def play_turn(turn, supply):
    """Your turn: play a card, buy, or end the turn. You are asked until you end it."""
    if turn["buys"] == 0:
        return {"type": "play-reply", "phase": "cleanup"}
    treasures = [card for card in turn["hand"] if card in WORTH]
    money = turn["extra_money"] + sum(WORTH[card] for card in treasures)
    reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
    return reply | {"cards_to_buy": choose(money, supply)}


def discard(options, count):
    """Another player's militia: discard `count` cards of your hand."""
    return {"type": "attack-reply", "discard": options[:count]}


def send(reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # it ends when the referee has no more to say
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a match begins; it may not be the first
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "supply-info":
            supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        case "play-turn":
            send(play_turn(message, supply))
        case "attack-request":
            send(discard(message["options"], message["discard"]))
        # All other types are news about the game, or newer than this bot: not an error.
