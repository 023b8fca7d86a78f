"""The interface: what a game is to all the rest, and the rest to a game.

seats.py         seats and their ids
faults.py        what a bot can do wrong, and why it leaves a match
random_source.py all that is random in a game, as an object; that which a seed gives
game.py          what a game is to a match
capabilities.py  what a game may have besides: a checker of logs, statistics
turns.py         the base of the readers that show its matches turn by turn
table.py         the base of games whose players take turns at a table
card_sums.py     how bots fare with cards, over many matches
dialect.py       what foreign bots speak in the place of its messages
environment.py   a game for programs that learn: numbers in, integers out
choices.py       the shared part of environments whose replies take several choices
dialogue.py      a person who plays: what it is told and asked
log_player.py    runs its rules behind a spectator log, whose replies are not known
page.py          what a page in the browser shows of its matches
vocabulary.py    its words for rule files, and who plays by one
probing.py       how another referee of a game is checked
definition.py    a game's entry in GAMES: all of this
"""
