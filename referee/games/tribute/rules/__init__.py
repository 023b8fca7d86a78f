"""The rules of Scripts of Tribute.

chance.py     the generator of random numbers
cards.py      the cards as data, from cards.json
messages.py   the wire messages as structs
faults.py     what a bot can do wrong
table.py      players, tavern, favours, and the moves that every rule is made of
effects.py    what the verbs of the cards do, and the queue in which they happen
patrons.py    the patrons, a row each
turn.py       draft, set-up, turns and end
replies.py    what a reply means
view.py       what a player is asked with, and what any viewer may know
situation.py  where a game begins that begins in the middle
game.py       the game as a match sees it
"""
