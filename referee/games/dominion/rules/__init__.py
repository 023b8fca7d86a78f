"""The rules of Dominion.

cards.py       the cards as data
messages.py    the wire messages as structs
faults.py      the fault codes that only Dominion knows
supply.py      the seventeen piles
player.py      the cards of one seat, and the state of its turn
table.py       players and supply; the moves that every rule is made of, and their messages
choices.py     what may be trashed, gained and bought: the legal targets of a card
effects.py     what each kingdom card does, militia and moat among them
turn.py        one turn: action, buy and clean-up replies
view.py        the game as data, as each may see it
situation.py   where a game begins that begins in the middle
game.py        turns, end of the game, winners
"""
