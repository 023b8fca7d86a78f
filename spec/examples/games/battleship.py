"""A small Battleship: ships of one square, placed in secret."""

from referee.games.small import Game, sees

SIDE, SHIPS = 4, 3
SEAS = ("first", "second")
SQUARES = [f"{row}{column}" for row in "ABCD" for column in "1234"]


class Battleship(Game):
    """Each player places three ships on a sea of 4 x 4, all at once and unseen.

    Then the players shoot in turn. The first who has hit all ships of the other wins.
    """

    moves = [f"{sea} {square}" for sea in SEAS for square in SQUARES]
    symbols = "?.~xS"
    marks = {
        "~": ("a miss", "steelblue"),
        "x": ("a hit", "firebrick"),
        "S": "a ship",
        "first": 0,  # whose sea it is
        "second": 1,
    }
    reasons = {"hit": "{winner} has hit all ships of {loser}"}
    edges = ("1234", "ABCD")
    secrets = "ships"

    def start(self):
        self.sea = [dict.fromkeys(SQUARES, ".") for _ in range(2)]  # what was not shot at
        self.shots = [{}, {}]  # at each sea: square -> what was there
        self.placed, self.to_move = 0, (0, 1)

    def legal(self, seat):
        if self.placed < SHIPS:
            free = [square for square in SQUARES if self.sea[seat][square] == "."]
            return [f"{SEAS[seat]} {square}" for square in free]
        return [f"{SEAS[1 - seat]} {square}" for square in self.sea[1 - seat]]

    def shown(self, seat, move):
        return None if self.placed < SHIPS else move

    def apply(self, move):
        if self.placed < SHIPS:
            for seat, placed in move.items():
                self.sea[seat][placed[-2:]] = "S"
            self.placed += 1
            self.to_move = (0, 1) if self.placed < SHIPS else 0
            return
        other, square = 1 - self.to_move, move[-2:]
        self.shots[other][square] = "x" if self.sea[other].pop(square) == "S" else "~"
        self.to_move = other
        if max(self.scores()) == SHIPS:
            self.to_move, self.reason = None, "hit"

    def scores(self):
        return [[*self.shots[1 - seat].values()].count("x") for seat in (0, 1)]

    def secret(self, seat):
        return [self.sea[1 - seat]]

    def view(self, viewer):
        seas = {}
        for seat, name in enumerate(SEAS):
            known = dict(self.shots[seat])
            if sees(viewer, seat):
                known |= self.sea[seat]
            rows = ("ABCD"[row : row + 1] for row in range(SIDE))
            seas[name] = ["".join(known.get(r + c, "?") for c in "1234") for r in rows]
        return seas

    @classmethod
    def cells(cls, move):
        sea, square = move.split()
        return [(sea, "ABCD".index(square[0]), "1234".index(square[1]))]
