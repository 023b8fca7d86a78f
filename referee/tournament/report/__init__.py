"""Reports on a store.

standings.py  ranking, head to head, differences
statistics.py faults, reply times, the game's own tables
notable_losses.py
              lost matches to learn from
report.py     all three, as `referee standings` prints them
history.py    how the ratings came about, match by match
text.py       the standings for a terminal
"""
