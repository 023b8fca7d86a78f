"""The rules of my_game. README.md has the next steps."""

from referee.games.small import Game


class MyGame(Game):
    """Two players take one to three sticks in turn. The player who takes the last one wins."""

    moves = (1, 2, 3)

    class Options:
        """The sticks at the start."""

        sticks: int = 21

    def start(self):
        self.sticks, self.won = self.options.sticks, [0, 0]

    def legal(self, seat):
        return [number for number in self.moves if number <= self.sticks]

    def apply(self, move):
        self.sticks -= move
        if self.sticks == 0:
            self.won[self.to_move] = 1
        self.to_move = 1 - self.to_move if self.sticks else None

    def view(self, viewer):
        return {"sticks": self.sticks}

    def scores(self):
        return self.won
