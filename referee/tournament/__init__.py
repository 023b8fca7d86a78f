"""Runs tournaments to find out which bot is better, by how much, and how certain that is."""

# A map of the package. A module imports only from modules above it in this list.
#
#   rating/        ratings and their uncertainty
#   choices.py     options and their defaults
#   rows.py        a match: its settings and its result
#   entrants.py    finds the program of a bot
#   schedule/      line-ups of each format
#   setup.py       completes the settings: bots, defaults, extensions
#   config.py      the settings as a file
#   stored.py      checks the rows of a store
#   store.py       the results, as an SQLite database
#   stages.py      the schedule, stage by stage
#   playing/       plays the matches in workers
#   report/        the standings and other reports on a store
