"""Small games, whose author only writes a class with the rules. We derive all other parts from it.

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
messages.py    the messages, which are the same for all small games
machine.py     implements the interface of games with the author's class
log_player.py  checks a spectator log with the rules, up to the first random draw or secret move
without_rules.py  checks the rest of the log
turns.py       shows a match turn by turn
parts.py       divides a view into boards, hands, cards and texts
cells.py       finds the cells and cards in a view that a move names
person.py      lets a person play
page/          draws a view in the browser, with cells to click
statistics.py  points by seat, over many matches
environment.py the environment for reinforcement learning
specification.py  the sections about the game on the page of small games
starters/      templates for bots, which play every small game
bot-cases.json conformance cases for bots of all small games
definition.py  creates the `GameDefinition` from the class
"""

from referee.games.interface.game import ALL, PUBLIC
from referee.games.small.author import Chance, Game, sees
from referee.games.small.definition import definition

__all__ = ["ALL", "PUBLIC", "Chance", "Game", "definition", "sees"]
