#!/usr/bin/env python3
"""A bot for Scripts of Tribute that takes the first option. README.md explains how to run it."""

import json
import sys

NAME = "My Bot"
CARDS = {}  # id -> definition of the card: name, deck, type, cost, hp, taunt, effects (2.3)


def choose_patron(available, picked):
    """Return one of the available patrons (5.1)."""
    return available[0]


def choose_action(state, actions):
    """Return one of the actions: cards, agents, attacks, buys, patrons, end of the turn (5.2)."""
    return actions[0]  # the last action is always end-turn


def choose_cards(request):
    """Return the uids of `min` to `max` cards (5.3)."""
    return [card["uid"] for card in request["cards"][: request["min"]]]


def choose_effect(request):
    """Return 0 for the left effect, or 1 for the right effect (5.3)."""
    return 0


def send(**reply):
    print(json.dumps(reply), flush=True)  # without flush, the line stays in a buffer


for line in sys.stdin.buffer:  # until the referee closes stdin
    if not line.endswith(b"\n"):
        break  # incomplete line: the referee has stopped
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a new match begins
            about = {"player_number": message["player_number"], "name": NAME, "version": 1}
            send(type="player-name-reply", keep_alive=True, **about)
        case "game-info":
            CARDS.update((row["card"], row) for row in message["card_table"])
        case "patron-request":
            patron = choose_patron(message["available"], message["picked"])
            send(type="patron-reply", patron=patron)
        case "play-turn":
            send(type="play-reply", action=choose_action(message["state"], message["actions"]))
        case "choose-request" if message["effects"]:
            send(type="choose-reply", effect=choose_effect(message))
        case "choose-request":
            send(type="choose-reply", cards=choose_cards(message))
        # Ignore all other types. They are news about the game, or newer than this bot.
