#!/usr/bin/env python3
"""The spender for classic: play classic:classic_spender.

A state comes in, over many lines up to EOT, and a command goes out. It plays its hand, activates
its agents, buys the dearest card, and ends its turn. Run your copy with
`referee play --game tribute "classic:./my_bot.py" courtier`.
"""

import json
import sys


def received():
    """All lines up to EOT, joined; None when the referee is gone."""
    lines = []
    for line in sys.stdin:
        if line == "EOT\n":
            return "".join(lines)
        lines.append(line)
    return None


def command(state):
    """What to do now."""
    choice = state["PendingChoice"]
    if choice:
        if choice["Type"] == "EFFECT":
            return "CHOICE LEFT"
        least = [card["UniqueId"] for card in choice["PossibleCards"][: choice["MinChoices"]]]
        return " ".join(["CHOICE", *map(str, least or [10000])])  # 10000 alone: none of them
    me = state["CurrentPlayer"]
    for card in me["Hand"]:
        return f"PLAY {card['UniqueId']}"
    for agent in me["Agents"]:
        if not agent["Activated"]:
            return f"ACTIVATE {agent['Card']['UniqueId']}"
    row = [card for card in state["TavernAvailableCards"] if card["cost"] <= me["Coins"]]
    if me["Coins"] and row:
        return f"BUY {max(row, key=lambda card: card['cost'])['UniqueId']}"
    return "ENDTURN"


def main():
    for _ in range(2):
        patrons = sys.stdin.readline().partition(" ")[0]  # the round follows
        print(patrons.split(",")[0], flush=True)  # without the flush the referee waits in vain
    while (data := received()) is not None and not data.startswith("FINISHED"):
        print(command(json.loads(data)), flush=True)


if __name__ == "__main__":
    main()
