"""What a store says.

standings.py  ranking, head to head, differences
facts.py      faults, reply times, the game's own tables
lessons.py    lost matches to learn from
text.py       the standings for a terminal
page.py       the same as HTML, by page.html
"""
