"""Tournaments: which bot is better, by how much, and how sure is that."""

# A map of the package. The arrows of imports go upwards in this list.
#
#   rating/        who is better, and how sure that is
#   choices.py     what can be chosen, with its defaults
#   rows.py        a match: what is to be played, and what came of it
#   entrants.py    finding the program of an entrant
#   schedule/      who plays whom
#   setup.py       settling what is played: bots, defaults, extensions
#   config.py      the same as a file
#   stored.py      what may stand in a store
#   store.py       the results, as an SQLite database
#   stages.py      which matches there are, stage by stage
#   playing/       the matches, in workers
#   report/        the standings and all else that a store says
#   from_position.py
#                  many matches from one position, and what they say of it
