"""Small games: a class with the rules, from which all other parts of a game are made.

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

author.py      `Game`, the base class for authors
messages.py    the messages of all small games
machine.py     a match of such a game: implements the interface of games
log_player.py  reproduces a spectator log with the rules
guessed.py     a match that reproduces a log, with guessed draws
search.py      searches for other draws, if the match differs from the log
turns.py       a match turn by turn, for people
parts.py       the parts of a view: boards, hands, cards, texts
schemes.py     the schemes by which moves may name cells of a board
cells.py       the cells of a board that a move names, learned from random turns
person.py      a person who plays
page/          a drawing of the parts of a view, with cells to click
statistics.py  points by seat, over many matches
environment.py the environment for programs that learn
specification.py  the game's part of the page of small games
starters/      bots to start from, which play every small game
bot-cases.json conformance cases for bots of all these games
definition.py  makes the `GameDefinition` from the class
"""

from referee.games.interface.game import ALL, PUBLIC
from referee.games.small.author import Chance, Game, sees
from referee.games.small.definition import definition

__all__ = ["ALL", "PUBLIC", "Chance", "Game", "definition", "sees"]
