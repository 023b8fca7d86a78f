"""Goofspiel for two to five."""

from referee.games.small import Game


class Goofspiel(Game):
    """The prizes 1 to 13 are turned up one by one. All bid one of their cards 1 to 13 at once.

    The highest bid takes the prize. Equal highest bids take nothing.
    """

    players = (2, 5)
    moves = range(1, 14)
    together = True

    def start(self):
        self.hands = [[*self.moves] for _ in range(self.seats)]
        self.prizes = [*self.moves]
        self.won = [0] * self.seats
        self.turn_up()

    def turn_up(self):
        """Turn up the next prize, by chance."""
        self.prize = self.prizes.pop(self.chance.choose(len(self.prizes))) if self.prizes else 0
        self.set_to_move()

    def set_to_move(self):
        here = tuple(seat for seat in range(self.seats) if seat not in self.left)
        self.to_move = here if self.prize else None

    def leave(self, seat):
        self.set_to_move()

    def legal(self, seat):
        return self.hands[seat]

    def apply(self, bids):
        for seat, bid in bids.items():
            self.hands[seat].remove(bid)
        best = [seat for seat, bid in bids.items() if bid == max(bids.values())]
        if len(best) == 1:
            self.won[best[0]] += self.prize
        self.turn_up()

    def scores(self):
        return self.won

    def view(self, viewer):
        return {"prize": self.prize, "prizes": sorted(self.prizes), "hands": self.hands}

    @classmethod
    def observe(cls, view):
        hands = [int(card in hand) for hand in view["hands"] for card in cls.moves]
        return [view["prize"], *(int(prize in view["prizes"]) for prize in cls.moves), *hands]

    @classmethod
    def cells(cls, move):
        return [("hands", move)]  # a person clicks on the card of the own hand
