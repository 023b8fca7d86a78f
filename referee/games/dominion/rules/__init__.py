"""The rules of Dominion.

cards.py       the cards as data
messages.py    the messages as msgspec structs
faults.py      the fault codes
supply.py      the piles
player.py      a player's cards, and the state of its turn
table.py       basic moves such as gaining a card, and their messages
choices.py     which cards can be trashed, gained and bought
effects.py     the effects of the kingdom cards
turn.py        one turn: handles action, buy and clean-up replies
view.py        the game as each viewer sees it
situation.py   lets conformance cases begin in the middle of a game
game.py        the game itself: turns, the end of the game, the winners
"""
