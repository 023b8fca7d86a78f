"""Liar's dice, with dice that come later. The page own-games.md shows parts of it."""

from referee.games.small import Game, sees


class Liars(Game):
    """Each player rolls five dice unseen, and bids how many of all dice show six, or doubts.

    The loser of a doubt gives a point to the other. Three points win.
    """

    moves = ("doubt", *range(1, 11))
    reasons = {"three": "{winner} has three points"}
    secrets = "dice"

    def start(self):
        self.stock = [self.chance.choose(6) + 1 for _ in range(60)]
        self.points = [0, 0]
        self.roll()

    def roll(self):
        self.dice = [[self.stock.pop() for _ in range(5)] for _ in range(2)]
        self.said = 0

    def legal(self, seat):
        return [*range(self.said + 1, 11), *(["doubt"] if self.said else [])]

    def apply(self, move):
        seat = self.to_move
        self.to_move = 1 - seat
        if move != "doubt":
            self.said = move
            return
        is_true = sum(dice.count(6) for dice in self.dice) >= self.said
        self.points[1 - seat if is_true else seat] += 1
        if max(self.points) == 3:
            self.to_move, self.reason = None, "three"
        else:
            self.roll()

    def view(self, viewer):
        dice = [own if sees(viewer, seat) else None for seat, own in enumerate(self.dice)]
        return {"said": self.said, "dice": dice}

    def secret(self, seat):
        return [self.dice[1 - seat], self.stock]

    def scores(self):
        return self.points
