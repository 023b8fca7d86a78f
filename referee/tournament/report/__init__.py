"""Reports on stores.

standings.py  ranking, head to head, differences
knockout.py   the bracket of a knockout
statistics.py faults, reply times, the game's own tables
notable_losses.py
              lost matches to learn from
seeding.py    the seeds of a knockout by the ratings of a store
report.py     all three, as `referee standings` prints them
evening.py    the form of the bots, and matches to look at
history.py    how the ratings came about, match by match
season.py     several tournaments together
text.py       the standings for a terminal
season_text.py
              a season for a terminal
"""
