"""Lots, an auction whose seats may leave. The page own-games.md shows parts of it."""

from referee.games.small import Game


class Lots(Game):
    """All bid high or low at once, and the first seat that bid the highest takes lot 1 to 9.

    If somebody leaves, nobody bids: the first seat that is left takes a lot.
    """

    players = (2, 5)
    moves = ("high", "low", *range(1, 10))
    symbols = ("bid", "take")
    wrong_move = "first"

    def start(self):
        self.taken, self.won = [0] * 9, [0] * self.seats
        self.bid()

    def here(self):
        return tuple(seat for seat in range(self.seats) if seat not in self.left)

    def bid(self):
        self.stage, self.to_move = "bid", self.here() if sum(self.taken) < 9 else None

    def take(self, seat):
        self.stage, self.to_move = "take", seat

    def leave(self, seat):
        if self.to_move is not None:
            self.take(self.here()[0] if self.here() else None)

    def legal(self, seat):
        if self.stage == "bid":
            return ["high", "low"]
        return [lot for lot in range(1, 10) if not self.taken[lot - 1]]

    def apply(self, move):
        if self.stage == "bid":
            high = [seat for seat, bid in move.items() if bid == "high"]
            self.take((high or [*move])[0])
        else:
            self.taken[move - 1] = 1
            self.won[self.to_move] += move
            self.bid()

    def view(self, viewer):
        return {"stage": self.stage, "taken": self.taken}

    def scores(self):
        return self.won
