"""The rules of Bot Wars.

messages.py  the messages as msgspec structs
moves.py     checks the moves in a bot's reply
board.py     the grid, and how a turn changes it
view.py      the view of a match, which is the same for all viewers
game.py      the game itself: asks for moves, plays turns, decides who wins
"""
