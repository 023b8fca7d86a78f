"""Connect Four."""

from referee.games.small import Game


class ConnectFour(Game):
    """Two players drop discs into the columns of a grid. The first line of four wins."""

    moves = range(7)  # a move is a column
    symbols = ".XOxo"
    marks = {"X": 0, "O": 1, "x": 0, "o": 1}  # whose discs these are; small: four in a line
    edges = ("0123456", "")
    reasons = {"line": "{winner} has four discs in a line", "full": "the grid is full"}

    class Options:
        """The grid always has 7 columns."""

        rows: int = 6

    def start(self):
        self.board = [["."] * 7 for _ in range(self.options.rows)]
        self.won = [0.5, 0.5]  # half a point each, unless somebody wins
        self.to_move = 0

    def legal(self, seat):
        return [column for column in self.moves if self.board[0][column] == "."]

    def apply(self, move):
        row = max(r for r, cells in enumerate(self.board) if cells[move] == ".")
        self.board[row][move] = "XO"[self.to_move]
        if line := self.line(row, move):
            for r, c in line:
                self.board[r][c] = self.board[r][c].lower()
            self.won = [int(seat == self.to_move) for seat in (0, 1)]
            self.to_move, self.reason = None, "line"
        elif self.legal(0):
            self.to_move = 1 - self.to_move
        else:
            self.to_move, self.reason = None, "full"

    def line(self, row, column):
        """The cells of all lines of four or more that have the disc there."""

        def run(down, right):
            r, c = row + down, column + right
            while self.same(r, c, self.board[row][column]):
                yield r, c
                r, c = r + down, c + right

        lines = ([*run(d, r), *run(-d, -r)] for d, r in ((0, 1), (1, 0), (1, 1), (1, -1)))
        cells = {cell for line in lines if len(line) >= 3 for cell in line}
        return {(row, column), *cells} if cells else cells

    def same(self, row, column, disc):
        inside = 0 <= row < len(self.board) and 0 <= column < 7
        return inside and self.board[row][column] == disc

    def scores(self):
        return self.won

    def view(self, viewer):
        return {"board": ["".join(row) for row in self.board]}

    @classmethod
    def cells(cls, move):
        return [(None, move)]  # a person clicks on the column
