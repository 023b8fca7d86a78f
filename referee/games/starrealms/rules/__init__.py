"""The rules of Star Realms.

cards.py      the cards as data
messages.py   the wire messages as structs
faults.py     what a bot can do wrong
player.py     one seat's cards, and what a turn has to spend
table.py      the table, and the moves that every rule is made of
view.py       what a player is asked with, and what any viewer may know
choices.py    questions in the middle of a turn
effects.py    what the words of the cards mean
turn.py       one turn
situation.py  where a game begins that begins in the middle
game.py       turns, end of the game, winners
"""
