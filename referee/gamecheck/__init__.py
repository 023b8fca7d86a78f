"""Random matches of a game, to report mistakes of its author and to give examples for its page.

findings.py  mistakes, with file and line
guard.py     calls of the author's code: exceptions, time, `print`, the module `random`
players.py   players who choose legal moves at random
match.py     one random match, checked round by round
lines.py     a random match of the referee, with lines
parts.py     a random match that also uses the game's optional parts
hash_seed.py the same matches in other processes, where sets have another order
digest.py    the digest of some matches, printed by these processes
fields.py    the fields of messages, and a description of their values
page.py      the page of a game for the authors of its bots
check.py     all matches of a check, and mistakes found by comparing matches
"""
