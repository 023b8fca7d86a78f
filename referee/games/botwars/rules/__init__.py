"""The rules of Bot Wars.

messages.py  the wire messages as structs
moves.py     a bot's reply -> the moves that are carried out, and its mistakes
board.py     the grid and one turn on it
view.py      the view of every viewer, from the public messages
game.py      turns, end of the game, winners
"""
