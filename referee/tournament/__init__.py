"""Tournaments: which bot is better, by how much, and how sure is that."""

# A map of the package. The arrows of imports go upwards in this list.
#
#   choices.py      what can be chosen, with its defaults
#   rows.py         a match: what is to be played, and what came of it
#   line_ups.py     line-ups of three and more bots in which every pair meets as often as any other
#   swiss.py        one round of a Swiss tournament
#   pairing.py      who plays whom, on which seed and in which seats
#   deals.py        results as columns of numbers
#   intervals.py    Wilson's interval and its like
#   rating.py       ratings with error bars over deals
#   sprt.py         the sequential test of two bots
#   batch.py        playing some matches, in a worker
#   cluster.py      workers on other machines, by Dask
#   setup.py        what is played
#   config.py       the same as a file
#   stored.py       what may stand in a store
#   store.py        the results, as an SQLite database
#   schedule.py     which matches there are, stage by stage
#   player.py       gives batches to workers
#   run.py          what is missing is played, and comes into the store
#   sequential.py   a sequential test over the deals of a tournament
#   check.py        matches of a store, run or played again
#   standings.py    ranking, head to head, differences
#   statistics.py   faults, reply times, the game's own tables
#   lessons.py      lost matches to learn from
#   text.py         the standings for a terminal
#   page.py         the same as HTML
