"""A race of pawns on a chess board. The page own-games.md shows parts of it."""

from referee.games.small import Game

COLUMNS, ROWS = "abcdefgh", "87654321"


class Pawns(Game):
    """A pawn moves one row ahead, straight or diagonally, and takes diagonally.

    The first pawn on the last row wins. So does the player who leaves the other no pawn.
    """

    marks = {"X": 0, "O": 1}
    edges = (COLUMNS, ROWS)
    reasons = {"arrived": "a pawn of {winner} has arrived", "no-pawns": "{loser} has no pawn"}

    def start(self):
        self.board = [[*"OOOOOOOO"] for _ in range(2)]
        self.board += [[*"........"] for _ in range(4)]
        self.board += [[*"XXXXXXXX"] for _ in range(2)]

    def legal(self, seat):
        """A pawn's square and its next one, such as "e2e3"."""
        ahead, own, found = (-1, 1)[seat], "XO"[seat], []
        for row in range(8):
            for column in range(8):
                if self.board[row][column] != own or not 0 <= row + ahead < 8:
                    continue
                for to in (column - 1, column, column + 1):
                    free = "." if to == column else "." + "OX"[seat]
                    if 0 <= to < 8 and self.board[row + ahead][to] in free:
                        found.append(COLUMNS[column] + ROWS[row] + COLUMNS[to] + ROWS[row + ahead])
        return found

    def apply(self, move):
        (row, column), (to, there) = self.cells(move)
        self.board[row][column], self.board[to][there] = ".", "XO"[self.to_move]
        self.to_move = 1 - self.to_move
        if to in (0, 7):
            self.to_move, self.reason = None, "arrived"
        elif not any("XO"[self.to_move] in row for row in self.board):
            self.to_move, self.reason = None, "no-pawns"

    def view(self, viewer):
        return {"board": ["".join(row) for row in self.board]}

    def scores(self):
        arrived = ["X" in self.board[0], "O" in self.board[7]]
        pawns = [any(mark in row for row in self.board) for mark in "XO"]
        return [int(arrived[seat] or not pawns[1 - seat]) for seat in (0, 1)]

    @classmethod
    def cells(cls, move):
        return [(ROWS.index(move[at + 1]), COLUMNS.index(move[at])) for at in (0, 2)]
