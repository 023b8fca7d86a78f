"""The rules of Bot Wars.

messages.py  the messages as structs
moves.py     checks a bot's reply: moves to carry out, and mistakes
board.py     the grid and one turn on it
view.py      the view of every viewer, from the public messages
game.py      turns, end of the game, winners
"""
