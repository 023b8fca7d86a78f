"""The rules of Star Realms.

cards.py      the cards as data
messages.py   the messages as structs
faults.py     fault codes
player.py     one seat's cards, and the resources of a turn
table.py      the table, and the basic moves
view.py       the state in a request, and the view of any viewer
effects.py    the effects of the cards' words, and their questions
turn.py       one turn
situation.py  a game that begins in the middle
game.py       turns, end of the game, winners
"""
