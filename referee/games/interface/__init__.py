"""The interface between a game and the rest of the program.

seats.py         seats and their ids
faults.py        a bot's mistakes, and the reasons why it leaves a match
random_source.py the random choices of a game, as an object; the one that a seed makes
game.py          the game itself
capabilities.py  optional parts: a checker of logs, statistics
sentence.py      sentences about a match in parts: text, cards, players
turns.py         the base of the readers that show its matches turn by turn
table.py         the base of games whose players take turns at a table
card_sums.py     results of bots by card, over many matches
dialect.py       translations for bots that do not speak its messages
environment.py   a game for programs that learn: numbers in, integers out
choices.py       the shared part of environments whose replies take several choices
dialogue.py      a person who plays: news and questions
log_player.py    runs its rules behind a spectator log, whose replies are not known
page.py          its parts of the page in the browser
vocabulary.py    its words for rule files, and the player of one
probing.py       how another referee of a game is checked
definition.py    a game's entry in GAMES: all of this
data.py          values that JSON cannot carry, or that other languages read differently
blaming.py       calls of a game's code, whose mistakes are its author's
"""
