"""The rules of Scripts of Tribute.

chance.py     the generator of random numbers
cards.py      the cards as data, from cards.json
messages.py   the messages as structs
faults.py     fault codes
table.py      players, tavern, favours, and the basic moves
effects.py    the effects of the cards' verbs, and their queue
patrons.py    the patrons, one row each
turn.py       draft, set-up, turns and end
replies.py    decisions in replies
view.py       the state in a request, and the view of any viewer
situation.py  a game that begins in the middle
game.py       the game as a match sees it
"""
