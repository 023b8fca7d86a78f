"""The interface of a game, through which the referee plays, records and shows it.

seats.py         seats and their ids
faults.py        mistakes of bots, and reasons for leaving a match
random_source.py shuffles and draws, usually from the seed of the match
game.py          the game itself
capabilities.py  optional parts: a checker of logs, statistics
counts.py        counts and ordinal numbers with their words
sentence.py      sentences about a match, split into text, cards and players
turns.py         base class for showing a match turn by turn
table.py         base class for games whose players take turns at a table
card_sums.py     how well bots did with each card, over many matches
dialect.py       translates for bots that speak other messages
environment.py   a game for reinforcement learning: numbers in, integers out
choices.py       base class for environments with several choices per reply
dialogue.py      shows news to a human player and asks for moves
log_player.py    reconstructs replies from a spectator log
page.py          what the game adds to the page in the browser
vocabulary.py    the words of the game's rule files, and the player that follows a file
probing.py       tests other referees of the game
definition.py    the game's entry in GAMES, which refers to all of the above
data.py          finds values that JSON or other languages can't represent
blaming.py       shows authors of games which of their lines raised an exception
"""
