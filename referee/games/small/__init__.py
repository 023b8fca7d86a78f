"""Small games: one class with the rules, from which everything else of a game is made.

    from referee.games.small import Game

    class Nim(Game):
        # Two players take one to three sticks in turn. The player who takes the last one wins.
        moves = (1, 2, 3)

        def start(self): self.sticks, self.won = 21, [0, 0]
        def legal(self, seat): return [n for n in self.moves if n <= self.sticks]
        def apply(self, move):
            self.sticks -= move
            if not self.sticks: self.won[self.to_move] = 1
            self.to_move = 1 - self.to_move if self.sticks else None
        def view(self, viewer): return {"sticks": self.sticks}
        def scores(self): return self.won

author.py      `Game`, the class that an author writes a subclass of
messages.py    the messages of all small games
machine.py     a match of such a game, by the contract of games
log_player.py  runs the rules behind a spectator log
guessed.py     a match behind a log, with guessed draws
search.py      looks for other draws, where the log says something else
turns.py       a match turn by turn, for people
parts.py       the parts of a view: boards, hands, cards, texts
schemes.py     the ways to read a move as cells of a board
cells.py       the cells of a board that a move names, found by random turns
person.py      a person who plays
page/          the parts of a view as a drawing, and cells to click
statistics.py  points by seat, over many matches
environment.py the game for programs that learn
specification.py  what a game adds to the page of small games
starters/      bots to start from, which play every small game
bot-cases.json conformance cases for bots of all these games
definition.py  makes the entry of a game from its class
"""

from referee.games.interface.game import ALL, PUBLIC
from referee.games.small.author import Chance, Game, sees
from referee.games.small.definition import definition

__all__ = ["ALL", "PUBLIC", "Chance", "Game", "definition", "sees"]
