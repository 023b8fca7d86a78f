"""The seam: what a game is to all the rest, and the rest to a game.

chance.py   all that is random in a game, as an object; that which a seed gives
probing.py  how another referee of a game is checked
game.py     what a game is to a match
"""
