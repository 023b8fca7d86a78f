"""Check a game with random matches, which report the mistakes of its author.

findings.py  what is wrong, with file and line
guard.py     calls of the author's code: exceptions, time, `print`, the module `random`
data.py      values that JSON cannot carry, or that other languages read differently
players.py   players who choose at random among what is legal
match.py     one random match, checked round by round
check.py     all matches of a check, and what only several matches show
"""
