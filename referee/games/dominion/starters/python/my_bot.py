#!/usr/bin/env python3
"""A bot for Dominion that buys provinces, gold and silver. README.md says how to play it."""

import json
import sys

NAME = "My Bot"
WORTH = {"copper": 1, "silver": 2, "gold": 3}
COSTS = {"province": 8, "gold": 6, "silver": 3}  # cards to buy, best first


def choose(money, supply):
    """Return a list with the best card that we can pay for, or an empty list."""
    for card, cost in COSTS.items():
        if cost <= money and supply[card] > 0:
            return [card]
    return []


def play_turn(turn, supply):
    """Your turn: play a card, buy, or end the turn. Called again until you end it."""
    if turn["buys"] == 0:
        return {"type": "play-reply", "phase": "cleanup"}
    treasures = [card for card in turn["hand"] if card in WORTH]
    money = turn["extra_money"] + sum(WORTH[card] for card in treasures)
    reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
    return reply | {"cards_to_buy": choose(money, supply)}


def discard(options, count):
    """Another player has played a militia: discard `count` cards from your hand."""
    return {"type": "attack-reply", "discard": options[:count]}


def send(reply):
    print(json.dumps(reply), flush=True)  # without flush, the reply would stay in a buffer


for line in sys.stdin.buffer:  # the loop ends when the referee closes our standard input
    if not line.endswith(b"\n"):
        break  # the line is incomplete, so the referee has crashed or was killed
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a new match begins
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "supply-info":
            supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        case "play-turn":
            send(play_turn(message, supply))
        case "attack-request":
            send(discard(message["options"], message["discard"]))
        # Ignore all other messages. They're news about the game, or newer than this bot.
