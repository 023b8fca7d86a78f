"""Plays random matches of a game, to find its author's mistakes and to get examples for its page.

findings.py  mistakes, with file and line
guard.py     calls the author's code, and notices exceptions, endless loops, `print` and `random`
match.py     a random match in which every round is checked
lines.py     a random match that sends and receives lines like a real one
parts.py     a random match that also uses the game's optional parts
hash_seed.py plays matches in other processes, in which sets have another order
fields.py    lists the fields of messages and describes their values
page.py      writes the page of a game for the authors of its bots
check.py     plays all matches of a check, and compares them
"""
