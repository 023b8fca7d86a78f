"""The rules of Scripts of Tribute.

chance.py     the generator of random numbers
cards.py      the cards as data, from cards.json
messages.py   the wire messages as structs
faults.py     a bot's mistakes
table.py      players, tavern, favours, and the moves that every rule is made of
effects.py    the effects of the cards' verbs, and their queue
patrons.py    the patrons, a row each
turn.py       draft, set-up, turns and end
replies.py    the meaning of a reply
view.py       the state in a request, and the view of any viewer
situation.py  a game that begins in the middle
game.py       the game as a match sees it
"""
