"""Hills, with too many moves to list. The page own-games.md shows parts of it."""

from referee.games.small import Game


class Hills(Game):
    """Share a hundred soldiers among five hills, at once. The bigger group wins a hill.

    There are five rounds.
    """

    def start(self):
        self.points, self.rounds, self.to_move = [0, 0], 0, (0, 1)

    def legal(self, seat):
        """Some ways to share the soldiers."""
        return [[20, 20, 20, 20, 20], [40, 30, 20, 10, 0], [100, 0, 0, 0, 0]]

    def accepts(self, seat, move):
        """Any list of five whole numbers from 0 whose sum is 100."""
        if not isinstance(move, list) or len(move) != 5:
            return False
        return all(type(n) is int and n >= 0 for n in move) and sum(move) == 100

    def apply(self, moves):
        for one, other in zip(moves[0], moves[1], strict=True):
            self.points[0] += one > other
            self.points[1] += other > one
        self.rounds += 1
        self.to_move = (0, 1) if self.rounds < 5 else None

    def view(self, viewer):
        return {"rounds": self.rounds}

    def scores(self):
        return self.points
