"""The rules of Dominion.

cards.py       the cards as data
messages.py    the messages as structs
faults.py      Dominion's fault codes
supply.py      the seventeen piles
player.py      the cards of one seat, and the state of its turn
table.py       players and supply; elementary moves and their messages
choices.py     the legal targets of a card: cards to trash, gain and buy
effects.py     the effect of each kingdom card
turn.py        one turn: action, buy and clean-up replies
view.py        the game as data, for each viewer
situation.py   the state of a game that begins in the middle
game.py        turns, end of the game, winners
"""
