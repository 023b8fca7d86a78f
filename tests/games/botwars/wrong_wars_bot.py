"""A Bot Wars bot with one mistake: `wrong_wars_bot.py MODE`."""

import json
import sys

MODE = sys.argv[1]


def say(text):
    print(text, flush=True)


def reply(**fields):
    say(json.dumps(fields))


def moves(state, me):
    """Move every botlet one cell to the right, if it's not at the edge."""
    cols = 20 if MODE == "20 columns" else state["cols"]
    own = [cell for cell, what in enumerate(state["grid"]) if what == me]
    if MODE == "needs energy":
        state["grid"].index("*")
    if MODE == "out of the grid":
        return [{"from": cell, "to": cell + 1} for cell in own]
    if MODE == "needs a botlet":
        return [{"from": own[0], "to": own[0] + 1}]
    if MODE == "moves everybody":
        own = [cell for cell, what in enumerate(state["grid"]) if what in "rb"]
    if MODE == "moves its spawn point":
        own.append(state["p1" if me == "r" else "p2"]["spawn"])
    if MODE == "moves twice":
        own *= 2
    return [{"from": cell, "to": cell + 1} for cell in own if cell % cols < cols - 1]


if MODE == "talks first":
    say("hello")
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    state = message.get("state")
    if kind == "player-name-request":
        number = "player1" if MODE == "always player 1" else message["player_number"]
        reply(type="player-name-reply", player_number=number, name="Wrong", version=1)
    elif kind == "move-request":
        me = "r" if MODE == "always red" else message["player"]
        chosen = moves(state, me)
        if MODE == "bare array":
            say(json.dumps(chosen))
        elif MODE == "other type":
            reply(type="moves-reply", moves=chosen)
        elif MODE == "strings":
            reply(
                type="move-reply",
                moves=[{key: str(move[key]) for key in move} for move in chosen],
            )
        elif MODE == "pairs":
            reply(type="move-reply", moves=[[move["from"], move["to"]] for move in chosen])
        elif MODE == "silent without moves" and not chosen:
            pass
        else:
            reply(type="move-reply", moves=chosen)
        if MODE == "says it twice":
            reply(type="move-reply", moves=chosen)
    elif kind == "turn-played":
        if MODE == "answers news":
            reply(type="move-reply", moves=[])
        if MODE == "exits after a turn":
            sys.exit()
    elif kind in ("player-name", "game-info", "player-disqualified"):
        pass  # a public message, which needs no reply
    elif kind == "game-end":
        if MODE == "thanks at the end":
            say("thanks")
    elif MODE == "knows all types":
        raise LookupError(kind)
if MODE == "stays":
    import time

    time.sleep(60)
