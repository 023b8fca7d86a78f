"""Tournaments: which bot is better, by how much, and how sure is that."""

# A map of the package. The arrows of imports go upwards in this list.
#
#   line_ups.py     line-ups of three and more bots in which every pair meets as often as any other
#   swiss.py        one round of a Swiss tournament
#   pairing.py      who plays whom, on which seed and in which seats: the schedule
#   deals.py        results as columns of numbers
#   intervals.py    Wilson's interval and its like
#   tallies.py      points, wins, head to head, seats
#   rating.py       ratings with error bars over deals
#   sprt.py         the sequential test of two bots
