#!/usr/bin/env python3
"""Spends its coins. Play it as classic:classic_spender.

It reads a state, which takes several lines up to EOT, and writes a command. It plays its hand,
activates its agents, buys the most expensive card, and ends its turn. Run your copy with
`referee play --game tribute "classic:./my_bot.py" courtier`.
"""

import json
import sys


def received():
    """Return the lines up to EOT as one string, or None if the referee is gone."""
    lines = []
    for line in sys.stdin:
        if line == "EOT\n":
            return "".join(lines)
        lines.append(line)
    return None


def command(state):
    """Return the command for this state."""
    choice = state["PendingChoice"]
    if choice:
        if choice["Type"] == "EFFECT":
            return "CHOICE LEFT"
        least = [card["UniqueId"] for card in choice["PossibleCards"][: choice["MinChoices"]]]
        return " ".join(["CHOICE", *map(str, least or [10000])])  # 10000 stands for no card
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
        patrons = sys.stdin.readline().partition(" ")[0]  # a round number follows
        print(patrons.split(",")[0], flush=True)  # without flush, it would stay in the buffer
    while (data := received()) is not None and not data.startswith("FINISHED"):
        print(command(json.loads(data)), flush=True)


if __name__ == "__main__":
    main()
