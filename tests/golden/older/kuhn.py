"""Kuhn poker."""

from referee.games.small import Game, sees


class Kuhn(Game):
    """Two players, and a deck of J, Q and K. Each gets a card, antes 1, and can bet 1 once.

    "pass" is a check, or a fold after a bet; "bet" is a bet, or a call. The higher card wins.
    """

    moves = ("pass", "bet")
    symbols = ("J", "Q", "K", "pass", "bet")
    secrets = "cards"

    class Options:
        """How long a match is."""

        hands: int = 10

    def start(self):
        self.won, self.hand, self.showdown = [0, 0], 0, None
        self.deal()

    def deal(self):
        """Begin a hand. The players take turns to begin."""
        deck = ["J", "Q", "K"]
        self.chance.shuffle(deck)
        self.cards, self.rest, self.said = [[deck[0]], [deck[1]]], deck[2:], []
        self.first = self.to_move = self.hand % 2

    def legal(self, seat):
        return self.moves

    def apply(self, move):
        self.said.append(move)
        if self.said in (["pass"], ["bet"], ["pass", "bet"]):
            self.to_move = 1 - self.to_move
            return
        folds = self.said[-2:] == ["bet", "pass"]
        high = max((0, 1), key=lambda seat: "JQK".index(self.cards[seat][0]))
        winner = 1 - self.to_move if folds else high
        stake = 2 if self.said[-2:] == ["bet", "bet"] else 1
        self.won[winner] += stake
        self.won[1 - winner] -= stake
        self.showdown = None if folds else [card for (card,) in self.cards]
        self.hand += 1
        if self.hand < self.options.hands:
            self.deal()
        else:
            self.to_move, self.cards, self.rest = None, [[], []], []

    def scores(self):
        return self.won

    def secret(self, seat):
        return [self.rest, self.cards[1 - seat]]

    def view(self, viewer):
        hands = [hand if sees(viewer, seat) else None for seat, hand in enumerate(self.cards)]
        return {"cards": hands, "said": self.said, "first": self.first, "showdown": self.showdown}

    @classmethod
    def observe(cls, view):
        card = next((hand[0] for hand in view["cards"] if hand), None)
        said = [view["said"][place : place + 1] == ["bet"] for place in range(2)]
        return ["JQK".index(card) if card else 3, len(view["said"]), *map(int, said), view["first"]]
