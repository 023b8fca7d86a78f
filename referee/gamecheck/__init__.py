"""Random matches of a game: they report the mistakes of its author, and give its page examples.

findings.py  what is wrong, with file and line
guard.py     calls of the author's code: exceptions, time, `print`, the module `random`
players.py   players who choose at random among what is legal
match.py     one random match, checked round by round
lines.py     a random match of the referee, with lines
parts.py     a random match that uses the game's optional parts too
hash_seed.py the same matches in other processes, whose sets have other orders
digest.py    the digest of some matches: what these processes print
fields.py    the fields of messages and their values, in words
page.py      the page of a game for the authors of its bots
check.py     all matches of a check, and what only several matches show
"""
