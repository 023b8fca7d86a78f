#!/usr/bin/env python3
"""A bot for Scripts of Tribute that does what is offered first. README.md says how to play it."""

import json
import sys

NAME = "My Bot"
CARDS = {}  # id -> what the card is: name, deck, type, cost, hp, taunt, effects (2.3)


def choose_patron(available, picked):
    """One of the patrons that are left (5.1)."""
    return available[0]


def choose_action(state, actions):
    """One of the actions: cards, agents, attacks, buys and patrons, the end of the turn (5.2)."""
    return actions[0]  # the last is always the end of the turn


def choose_cards(request):
    """The numbers of `min` to `max` of the cards (5.3)."""
    return [card["uid"] for card in request["cards"][: request["min"]]]


def choose_effect(request):
    """0: the left one of two effects; 1: the right one (5.3)."""
    return 0


def send(**reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # it ends when the referee has no more to say
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a match begins; it may not be the first
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
        # All other types are news about the game, or newer than this bot: not an error.
