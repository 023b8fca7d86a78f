"""The rules of Star Realms.

cards.py      card data
messages.py   message structs
faults.py     fault codes
player.py     a player's cards, and the trade and combat of a turn
table.py      the table, and basic moves such as drawing a card
view.py       the state in requests, and views of the game for others
effects.py    what card abilities do, including the choices they offer
turn.py       plays one turn
situation.py  starts a game from a given position
game.py       alternates the turns, and ends the game
"""
