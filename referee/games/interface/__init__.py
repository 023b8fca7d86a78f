"""The interface between a game and the rest of the program.

seats.py         seats and their ids
faults.py        mistakes of bots, and reasons for leaving a match
random_source.py sources of random choices, such as the one from a seed
game.py          the game itself
capabilities.py  optional parts: a checker of logs, statistics
sentence.py      sentences about a match in parts: text, cards, players
turns.py         base class of readers that show matches turn by turn
table.py         base class of games whose players take turns at a table
card_sums.py     results of bots by card, over many matches
dialect.py       translations for bots that speak other messages
environment.py   a game for reinforcement learning: numbers in, integers out
choices.py       shared code of environments whose replies take several choices
dialogue.py      a human player: news and questions
log_player.py    reconstructs replies from a spectator log
page.py          the game's parts of the page in the browser
vocabulary.py    the game's words for rule files, and the player of one
probing.py       tests of other referees of the game
definition.py    the game's entry in GAMES: all of the above
data.py          finds values that JSON or other languages can't represent
blaming.py       attributes exceptions to the author of a game
"""
