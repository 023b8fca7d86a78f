"""The rules of Bot Wars.

messages.py  the wire messages as structs
moves.py     a bot's reply -> the moves that are carried out, and what was wrong
board.py     the grid and one turn on it
view.py      what anybody sees, from the public messages
game.py      turns, end of the game, winners
"""
