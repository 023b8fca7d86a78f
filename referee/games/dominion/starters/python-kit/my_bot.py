#!/usr/bin/env python3
"""A bot for Dominion that buys provinces, gold and silver. README.md says how to play it."""

from referee.bot import DominionBot, buy, end_turn


class MyBot(DominionBot):
    name = "My Bot"

    def play_turn(self, state):
        """Your turn: play a card, buy, or end the turn. Called again if you play a card."""
        for card in ("province", "gold", "silver"):
            if state.can_buy(card):
                return buy(card)
        return end_turn()


if __name__ == "__main__":
    MyBot.run()
