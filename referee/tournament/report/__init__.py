"""Reports on stores.

played.py     the matches as arrays, read once for all reports
standings.py  everything that JSON has of a tournament; head to head, differences
seats.py      results by seat, of matches from one position
formats.py    what only some formats have: scores of Swiss rounds, a bracket, a test
statistics.py faults, reply times, statistics of the game
notable_losses.py
              lost matches to learn from
seeding.py    the seeds of a knockout by the ratings of a store
report.py     everything that pages show of a store
leader.py     sentences on who leads or has won, and how sure that is
evening.py    the form of the bots, and matches worth watching
history.py    ratings after each part of the matches
season.py     several tournaments together
words.py      columns, cells and sentences of the standings, for terminals and pages
season_words.py
              the same for a season
terminal.py   standings and seasons for a terminal
"""
