"""Ratings, with their uncertainty. Pure: columns of numbers in, numbers out.

deals.py      results as columns of numbers
intervals.py  Wilson's interval and its like
tallies.py    wins, draws, losses; head to head; seats
ratings.py    ratings with error bars over deals
sprt.py       the sequential test of two bots
"""
