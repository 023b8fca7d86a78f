"""The rules of Scripts of Tribute.

chance.py     the random number generator
cards.py      card data, read from cards.json
messages.py   message structs
faults.py     fault codes
table.py      players, tavern and favours, and basic moves such as drawing a card
effects.py    the effects of cards, and the queue in which they wait
patrons.py    prices and effects of the patrons
turn.py       draft, set-up, turns, and end of the game
replies.py    reads the decision in a reply, and checks that it's legal
view.py       the state in requests, and views of the game for others
situation.py  starts a game from a given position
game.py       connects the rules to a match
"""
